"""Tables of the pages Cutoffs and Correlation: the analysis's figures in another shape, nothing lost."""

import numpy as np

from exam_core.analysis.comparison import MEANINGS, Correlated, coefficients_table, methods_table
from exam_core.analysis.references import TruthInterval
from exam_core.numbers.rank_correlations import COEFFICIENTS, Correlation

CORRELATED = Correlated(
    "genq Cover@20 tau=4",
    "official",
    Correlation(0.7, 0.5, 36, 0.3, 0.35, 0.4),
    {"spearman": TruthInterval(0.1, 0.6, 0.8)},
)


def test_all_coefficients_of_a_leaderboard_stand_with_their_intervals():
    table = coefficients_table(CORRELATED)
    np.testing.assert_equal(table["value"].tolist(), [0.7, 0.5, 0.3, 0.35, 0.4, np.nan, np.nan])
    assert table["value_interval"].tolist() == [(0.1, 0.8), None, None, None, None, None, None]
    np.testing.assert_equal(table["value_middle"].tolist(), [0.6, *[np.nan] * 6])


def test_methods_have_a_row_each_with_all_coefficients():
    np.testing.assert_equal(
        methods_table([CORRELATED]).to_numpy().tolist(),
        [["genq Cover@20 tau=4", 0.7, 0.5, 0.3, 0.35, 0.4, np.nan, np.nan, 36]],
    )


def test_without_rows_tables_keep_their_columns_and_every_coefficient_has_a_meaning():
    assert methods_table([]).columns.tolist() == ["leaderboard", *COEFFICIENTS, "n"]
    assert tuple(MEANINGS) == COEFFICIENTS
