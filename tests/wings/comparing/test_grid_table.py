"""The method grid as text, for LaTeX and as a wide table: marks, dashes, blanks."""

import numpy as np

from exam_core.wings.comparing.grid import CSS, best_cells, grid_latex, grid_table, styled_grid, wide_grid


def test_the_table_marks_best_near_and_poor_and_tells_undefined_from_not_there(grid):
    table = grid_table(grid)
    assert table.columns.tolist() == ["bank", "grader", "tau", "MAP S", "MAP K", "Cover@20 S", "Cover@20 K", "n"]
    assert [[cell.strip() for cell in row] for row in table.to_numpy().tolist()] == [
        ["a_bank", "rater", "1", "**0.980**", "**0.900**", "-", "-", "7"],
        ["a_bank", "rater", "2", "*0.940*", "0.700", "**0.400**", "**0.600**", "7-8"],
        ["", "50% labels", "1", "(0.300)", "(-0.200)", "", "", "7"],
    ]
    assert {cell.index(".") for cell in table["MAP K"]} == {4}, "decimal points are below each other"


def test_latex_sets_best_near_and_poor_as_the_paper_does_with_the_rules_of_booktabs(grid):
    assert grid_latex(grid).splitlines()[7:10] == [
        r"a\_bank & rater & 1 & \textbf{\textit{0.980}} & \textbf{\textit{0.900}} & - & - & 7 \\",
        r"a\_bank & rater & 2 & \textbf{0.940} & 0.700 & \textbf{\textit{0.400}} & \textbf{\textit{0.600}} & 7-8 \\",
        r" & 50\% labels & 1 & \textcolor{gray}{0.300} & \textcolor{gray}{-0.200} &  &  & 7 \\",
    ]
    needs, *lines = grid_latex(grid).splitlines()
    assert needs == r"% Needs \usepackage{booktabs} and \usepackage{xcolor}."
    assert lines[0] == r"\begin{tabular}{llrrrrrr}"
    assert lines[2].count("&") == 5  # two heads span two columns each
    assert {line.count("&") for line in lines[6:9]} == {7}
    assert [line for line in lines if "rule" in line] == [
        r"\toprule",
        r"\cmidrule(lr){4-5} \cmidrule(lr){6-7}",
        r"\midrule",
        r"\bottomrule",
    ]


def test_a_grid_without_rows_is_a_table_without_rows(grid):
    empty = styled_grid("c", None, ["AP"], grid.rows[:0], [])
    assert grid_table(empty).shape == (0, 6)
    assert r"\bottomrule" in grid_latex(empty)


def test_the_wide_grid_has_two_columns_for_each_measure_in_the_typography_of_table_3(grid):
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
    css = wide_grid(grid).css
    assert css["AP S"].tolist() == [CSS["best"], CSS["near"], CSS["low"]]
    assert css["Cover@20 S"].tolist() == ["", CSS["best"], ""]
    assert css[["line", "bank", "grader", "tau", "n"]].eq("").all(axis=None)
    best = {"AP": "0.900, for a_bank, rater, tau 1", "Cover@20": "0.600, for a_bank, rater, tau 2"}
    assert best_cells(grid) == " ".join(f"Kendall of {measure} is best, {cell}." for measure, cell in best.items())
