"""A leaderboard for a paper."""

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.reports.board_lines import BESIDE, board_latex
from exam_core.request import Request
from exam_core.store import Store

LEXICAL = "lexical.pourpre-idf"


@pytest.fixture
def figures(demo_store):
    return figures_of(Store(demo_store).snapshot("demo"))


def lines_of(latex):
    return [line for line in latex.splitlines() if line.endswith(r"\\")]


def test_of_one_series_it_has_six_columns_and_the_ranks_of_the_board(figures):
    found = figures.compare((LEXICAL,), Request(bank="open", tau=2))
    rows = found.boards[LEXICAL].rows
    head, first, *_ = lines_of(board_latex(found, "official"))
    assert head == r"Rank & Run & Cover@20 & s.e. & re-normalised & Official rank \\"
    best = rows.iloc[0]
    assert first.split(" & ")[:3] == [f"{best['rank']:g}", best["run_id"].replace("_", r"\_"), f"{best['mean']:.3f}"]


def test_several_stand_beside_each_other_five_in_a_table(figures):
    found = figures.compare((LEXICAL,), Request(bank="open", tau=2))
    board = found.boards[LEXICAL]
    names = [f"mode {number}" for number in range(BESIDE + 1)]
    several = type(found)(dict.fromkeys(names, board), found.order, pd.DataFrame(), pd.DataFrame())
    heads = [line for line in lines_of(board_latex(several, None)) if line.startswith("Run")]
    assert [head.count("&") for head in heads] == [BESIDE, 1]
    best = board.rows.iloc[0]
    assert f"{best['mean']:.3f} $\\pm$ {best['stderr']:.3f} ({best['rank']:g})" in board_latex(several, None)
