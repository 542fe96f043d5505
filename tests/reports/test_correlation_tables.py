"""Tables of the pages Cutoffs and Correlation: the analysis's figures in another shape, nothing lost."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.comparisons.correlation import Correlated
from exam_core.analysis.evaluation.truths import TruthInterval
from exam_core.analysis.uncertainty.tau_comparison import CUTOFFS, Cutoffs, typed_rows
from exam_core.numbers.rank_correlations import COEFFICIENTS, Correlation
from exam_core.reports.coefficient_tables import MEANINGS, coefficients_table, methods_table
from exam_core.reports.tau_table import SERIES_CUTOFFS, cutoffs_table
from exam_core.reports.wide_grid import CSS, best_cells, wide_grid


@pytest.fixture
def swept():
    rows = pd.DataFrame({"tau": [1, 2]}).reindex(columns=CUTOFFS.names)
    rows = rows.assign(kendall=[0.5, 0.6], kendall_low=[0.4, np.nan], kendall_high=[0.7, np.nan], n=7)
    return Cutoffs("c", "genq Cover@20", "Cover@20", "official", typed_rows(rows, 2))


def test_cutoffs_have_a_row_for_each_series_and_tau(swept):
    table = cutoffs_table({"one": swept, "two": swept})
    assert list(zip(table["series"], table["tau"], strict=True)) == [("one", 1), ("one", 2), ("two", 1), ("two", 2)]
    assert table["recommended"].tolist() == [False, True, False, True]


def test_the_ends_of_an_interval_become_a_pair_and_none_where_there_is_none(swept):
    assert cutoffs_table({"one": swept})["kendall_interval"].tolist() == [(0.4, 0.7), None]


def test_no_column_of_the_cutoffs_is_lost():
    ends = [name.removesuffix("_low").removesuffix("_high") for name in CUTOFFS.names]
    assert set(SERIES_CUTOFFS.names) - {"series"} == {
        f"{stem}_interval" if name.endswith(("_low", "_high")) else name
        for name, stem in zip(CUTOFFS.names, ends, strict=True)
    }


CORRELATED = Correlated(
    "genq Cover@20 tau=4", "official", Correlation(0.7, 0.5, 36, 0.3, 0.4), {"spearman": TruthInterval(0.1, 0.6, 0.8)}
)


def test_all_coefficients_of_a_leaderboard_stand_with_their_intervals():
    table = coefficients_table(CORRELATED)
    np.testing.assert_equal(table["value"].tolist(), [0.7, 0.5, 0.3, 0.4, np.nan, np.nan])
    assert table["value_interval"].tolist() == [(0.1, 0.8), None, None, None, None, None]
    np.testing.assert_equal(table["value_middle"].tolist(), [0.6, *[np.nan] * 5])


def test_methods_have_a_row_each_with_all_coefficients():
    np.testing.assert_equal(
        methods_table([CORRELATED]).to_numpy().tolist(),
        [["genq Cover@20 tau=4", 0.7, 0.5, 0.3, 0.4, np.nan, np.nan, 36]],
    )


def test_without_rows_tables_keep_their_columns_and_every_coefficient_has_a_meaning():
    assert methods_table([]).columns.tolist() == ["leaderboard", *COEFFICIENTS, "n"]
    assert cutoffs_table({}).shape == (0, len(SERIES_CUTOFFS.names))
    assert tuple(MEANINGS) == COEFFICIENTS


def test_the_wide_grid_has_a_line_for_each_mode_and_tau_and_two_columns_for_each_measure(grid):
    wide = wide_grid(grid)
    table = wide.table
    assert table.columns.tolist() == ["line", "bank", "grader", "tau", "AP S", "AP K", "Cover@20 S", "Cover@20 K", "n"]
    assert table["line"].tolist() == ["a_bank, rater, tau 1", "a_bank, rater, tau 2", "50% labels, tau 1"]
    assert wide.columns.names == table.columns.tolist() == wide.css.columns.tolist()
    assert wide.css.index.tolist() == table.index.tolist()
    np.testing.assert_equal(table["AP S"].tolist(), [0.98, 0.94, 0.3])
    np.testing.assert_equal(table["AP K"].tolist(), [0.9, 0.7, -0.2])
    np.testing.assert_equal(table["Cover@20 K"].tolist(), [np.nan, 0.6, np.nan])
    assert table["n"].tolist() == [7, 8, 7]


def test_the_typography_of_the_wide_grid_is_that_of_table_3(grid):
    css = wide_grid(grid).css
    assert css["AP S"].tolist() == [CSS["best"], CSS["near"], CSS["low"]]
    assert css["Cover@20 S"].tolist() == ["", CSS["best"], ""]
    assert css[["line", "bank", "grader", "tau", "n"]].eq("").all(axis=None)


def test_the_best_of_each_measure_is_told_in_words(grid):
    best = {"AP": "0.900, for a_bank, rater, tau 1", "Cover@20": "0.600, for a_bank, rater, tau 2"}
    assert best_cells(grid) == " ".join(f"Kendall of {measure} is best, {cell}." for measure, cell in best.items())
