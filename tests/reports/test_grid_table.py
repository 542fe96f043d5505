"""The method grid as text and for LaTeX: marks, daggers, blanks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.beside.grid import NEEDS_QUESTIONS, NO_ORDER, Grid, styled_grid
from exam_core.reports.grid_table import grid_latex, grid_table


@pytest.fixture
def found() -> Grid:
    rows = pd.DataFrame(
        [
            ("a_bank", "rater", 1, "AP", 0.98, 0.9, 7, ""),
            ("a_bank", "rater", 1, "Cover@20", np.nan, np.nan, 7, NO_ORDER),
            ("a_bank", "rater", 2, "AP", 0.94, 0.7, 7, ""),
            ("a_bank", "rater", 2, "Cover@20", 0.4, 0.6, 8, ""),
            (None, "50% labels", 1, "AP", 0.3, -0.2, 7, ""),
            (None, "50% labels", 1, "Cover@20", np.nan, np.nan, None, NEEDS_QUESTIONS),
        ],
        columns=["bank", "grader", "tau", "measure", "spearman", "kendall", "n", "undefined"],
    )
    return styled_grid("c", None, ["AP", "Cover@20"], rows, [])


def test_the_table_marks_best_near_and_poor_and_tells_undefined_from_not_there(found: Grid) -> None:
    table = grid_table(found)
    assert table.columns.tolist() == ["bank", "grader", "tau", "MAP S", "MAP K", "Cover@20 S", "Cover@20 K", "n"]
    assert [[cell.strip() for cell in row] for row in table.to_numpy().tolist()] == [
        ["a_bank", "rater", "1", "**0.980**", "**0.900**", "†", "†", "7"],
        ["a_bank", "rater", "2", "*0.940*", "0.700", "**0.400**", "**0.600**", "7-8"],
        ["", "50% labels", "1", "(0.300)", "(-0.200)", "", "", "7"],
    ]


def test_the_decimal_points_of_a_column_are_below_each_other(found: Grid) -> None:
    assert {cell.index(".") for cell in grid_table(found)["MAP K"]} == {4}


def test_latex_sets_best_near_and_poor_as_the_paper_does(found: Grid) -> None:
    assert grid_latex(found).splitlines()[6:9] == [
        r"a\_bank & rater & 1 & \textbf{\textit{0.980}} & \textbf{\textit{0.900}} & $\dagger$ & $\dagger$ & 7 \\",
        r"a\_bank & rater & 2 & \textbf{0.940} & 0.700 & \textbf{\textit{0.400}} & \textbf{\textit{0.600}} & 7-8 \\",
        r" & 50\% labels & 1 & \textcolor{gray}{0.300} & \textcolor{gray}{-0.200} &  &  & 7 \\",
    ]


def test_latex_has_the_rules_of_booktabs_and_as_many_columns_as_cells(found: Grid) -> None:
    lines = grid_latex(found).splitlines()
    assert lines[0] == r"\begin{tabular}{llrrrrrr}"
    assert lines[2].count("&") == 5  # two heads span two columns each
    assert {line.count("&") for line in lines[6:9]} == {7}
    assert [line for line in lines if "rule" in line] == [
        r"\toprule",
        r"\cmidrule(lr){4-5} \cmidrule(lr){6-7}",
        r"\midrule",
        r"\bottomrule",
    ]


def test_a_grid_without_rows_is_a_table_without_rows(found: Grid) -> None:
    empty = styled_grid("c", None, ["AP"], found.rows[:0], [])
    assert grid_table(empty).shape == (0, 6)
    assert r"\bottomrule" in grid_latex(empty)
