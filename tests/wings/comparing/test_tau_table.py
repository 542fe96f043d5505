"""The taus of several series as a table: the analysis's figures in another shape, nothing lost."""

import numpy as np
import pandas as pd
import pytest

from exam_core.wings.comparing.cutoffs import CUTOFFS, SERIES_CUTOFFS, Cutoffs, cutoffs_table, typed_rows


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


def test_without_series_the_table_keeps_its_columns():
    assert cutoffs_table({}).shape == (0, len(SERIES_CUTOFFS.names))
