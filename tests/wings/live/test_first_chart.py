"""The picture of a live page's first chart."""

import re

import pytest

from exam_core.charts.leaderboard_lines import SYMBOLS as LIVE_SYMBOLS
from exam_core.wings.live.live_page import RING, picture

MODE = {"name": "<b>", "color": "#123456", "dash": "solid", "symbol": "circle"}
BOARD = {
    "title": "P@5",
    "heading": "P@5",
    "rank": [3, 1, 2],
    "n_queries": [1, 1, 1],
    "normalised": [0.0, 1.0, None],
    "normalised_stderr": [0.1, None, None],
    "mean": [0.2, 0.4, None],
    "stderr": [None, None, None],
    "rank_low": [2, 1, None],
    "rank_high": [3, 2, None],
    "outliers": [{"flagged": [1, 0, None]}],
    "beside": [{"ranks": 0}],
}


def data(*boards, ranks=(2, 1, None), **shown):
    first = {"modes": list(range(len(boards))), "measure": 0, "tau": 0, "labelRank": 0, "reference": 0, "leftOut": 0}
    first |= shown
    at = {f"{mode},0,0,0,0": mode for mode in first["modes"]}
    return {
        "first": first,
        "at": at,
        "boards": boards,
        "ranks": [list(ranks)],
        "runs": ["a", "<i>", "c"],
        "modes": [MODE] * len(boards),
        "measures": [{"bounds": [0.0, 1.0]}],
    }


@pytest.mark.parametrize(
    ("shown", "order"),
    [
        ({}, ["&lt;i&gt;", "a", "c"]),
        ({"ranks": (None,) * 3}, ["&lt;i&gt;", "c", "a"]),
        ({"runs": "-a"}, ["&lt;i&gt;", "c"]),
    ],
)
def test_runs_stand_in_the_references_order_then_by_their_own_ranks_without_what_the_filter_hides(shown, order):
    assert re.findall(r'text-anchor="end">([^<\d-]\S*?)</text>', picture(data(BOARD, **shown))) == order


@pytest.mark.parametrize(
    ("view", "heights", "bars"),
    [
        # The axis goes from 1.066 to -0.166, 6% further than what there is.
        ("normalised", ["5.36%", "86.53%"], "M500.0 378.6V313.6"),
        # From 0.412 to 0.188
        ("raw", ["5.36%", "94.64%"], ""),
        # From 0.88 to 3.12, rank 1 above
        ("ranks", ["5.36%", "94.64%"], "M166.7 21.4V200.0M500.0 200.0V378.6"),
    ],
)
def test_each_run_with_a_value_stands_at_its_height_with_its_error_and_a_ring_if_it_is_displaced(view, heights, bars):
    drawn = picture(data(BOARD, view=view))
    symbols = re.findall(r'<use href="#symbol-circle" x="([^"]*)" y="([^"]*)"( class="ring")?/>', drawn)
    assert symbols[:2] == [("16.67%", heights[0], ""), ("50.00%", heights[1], RING)]
    assert re.findall(r'<path d="([^"]*)" stroke="#123456"/>', drawn) == [bars]
    [caps] = re.findall(r'class="caps" d="([^"]*)"', drawn)
    assert len(re.findall("M", caps)) == 2 * len(re.findall("M", bars))
    if view == "raw":
        assert caps == ""
    elif view == "normalised":
        assert caps == "M500.0 378.0v1.2M500.0 313.0v1.2"


def test_every_symbol_of_the_live_chart_can_be_drawn():
    for name in LIVE_SYMBOLS:
        assert f'id="symbol-{name}"' in picture(data(BOARD) | {"modes": [MODE | {"symbol": name}]})


@pytest.mark.parametrize(("boards", "lines"), [(1, 0), (2, 2)])
def test_lines_join_the_runs_of_several_modes_and_names_are_no_markup(boards, lines):
    drawn = picture(data(*[BOARD] * boards))
    assert len(re.findall(r"\dL\d", drawn)) == lines
    assert drawn.count("&lt;b&gt;") == lines
    assert "<b>" not in drawn


def test_without_scores_there_is_none():
    assert picture(data()) == ""
    assert picture(data(BOARD | {"normalised": [None] * 3})) == ""


@pytest.mark.parametrize(("means", "ends"), [([1, 1, None], "1.0"), ([0, 0, None], "0.0")])
def test_neither_the_axis_of_scores_nor_a_bar_leaves_the_range_of_the_measure(means, ends):
    drawn = picture(data(BOARD | {"mean": means, "stderr": [0.1, 0.1, None]}, view="raw"))
    marks = [float(mark) for mark in re.findall(r'text-anchor="end">(-?[\d.]+)</text>', drawn)]
    assert (min(marks) >= 0, max(marks) <= 1, ends in map(str, marks)) == (True, True, True)
    assert re.findall(r'<path d="M\S+ ([\d.]+)V([\d.]+)M', drawn) == [
        ("377.4", "0.0") if means[0] else ("400.0", "22.6")
    ]
