"""The picture of a live page's first chart."""

import re

import pytest

from exam_core.wings.live.reports.picture import picture

MODE = {"name": "<b>", "color": "#123456", "dash": "solid"}
BOARD = {
    "title": "P@5",
    "heading": "P@5",
    "rank": [3, 1, 2],
    "n_queries": [1, 1, 1],
    "normalised": [0.0, 1.0, None],
    "normalised_stderr": [0.1, None, None],
    "beside": [{"ranks": 0}],
}


def data(*boards, ranks=(2, 1, None)):
    first = {"modes": list(range(len(boards))), "measure": 0, "tau": 0, "labelRank": 0, "reference": 0, "leftOut": 0}
    at = {f"{mode},0,0,0,0": mode for mode in first["modes"]}
    modes = [MODE] * len(boards)
    return {
        "first": first, "at": at, "boards": boards, "ranks": [list(ranks)], "runs": ["a", "<i>", "c"], "modes": modes
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ranks", "order"), [((2, 1, None), ["&lt;i&gt;", "a", "c"]), ((None, None, None), ["&lt;i&gt;", "c", "a"])]
)
def test_runs_stand_in_the_references_order_then_by_their_own_ranks(ranks, order):
    assert re.findall(r'text-anchor="end">([^<\d-]\S*?)</text>', picture(data(BOARD, ranks=ranks))) == order


def test_each_run_with_a_score_is_a_dot_at_its_height_and_an_error_is_a_bar():
    drawn = picture(data(BOARD))
    # The axis goes from 1.066 to -0.166, 6% further than what there is: 400 are 1.232.
    assert re.search(r'class="dots" d="([^"]*)"', drawn)[1] == "M166.7 21.4h0M500.0 346.1h0"
    assert re.search(r'<path d="([^"]*)"/><path class="dots"', drawn)[1] == "M500.0 378.6V313.6"


@pytest.mark.parametrize(("boards", "lines"), [(1, 0), (2, 2)])
def test_lines_join_the_runs_of_several_modes_and_names_are_no_markup(boards, lines):
    drawn = picture(data(*[BOARD] * boards))
    assert len(re.findall(r"\dL\d", drawn)) == lines
    assert drawn.count("&lt;b&gt;") == lines
    assert "<b>" not in drawn


def test_without_scores_there_is_none():
    assert picture(data()) == ""
    assert picture(data(BOARD | {"normalised": [None] * 3})) == ""
