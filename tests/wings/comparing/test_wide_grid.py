"""The method grid as a wide table."""

import numpy as np

from exam_core.wings.comparing.grid import CSS, best_cells, wide_grid


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
