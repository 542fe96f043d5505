"""Displacements: a symbol for each method, intervals that are never inside out, names letter for letter."""

import math

import pandas as pd
import pytest

from exam_core.charts.leaderboard_lines import FILLED, displacement_alternative, displacement_figure, runs_in_order

NAN = math.nan
COLUMNS = (
    "run_id", "method", "rank", "reference_rank", "rank_displacement", "score_displacement", "low", "high", "p_holm",
    "flagged",
)  # fmt: skip
ROWS = pd.DataFrame(
    [
        ("<b>up", "m1", 1.0, 5.0, 4.0, 0.1, 1.0, 3.0, 0.01, True),
        ("<b>up", "m2", 2.0, 5.0, 3.0, 0.2, -1.0, 5.0, 0.5, False),
        ("down", "m1", 4.0, 1.0, -3.0, -0.3, -4.0, -2.0, 0.06, False),
        ("still", "m2", 2.0, 2.0, 0.0, 0.0, NAN, NAN, NAN, pd.NA),
    ],
    columns=COLUMNS,
)
METHODS = ["m1", "m2"]


@pytest.fixture
def figure():
    return displacement_figure(ROWS, METHODS, "official")


def test_promoted_runs_come_first_by_their_mean_over_methods(figure):
    assert runs_in_order(ROWS) == ["<b>up", "still", "down"]
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;up", "still", "down")


def test_each_method_has_a_symbol_open_in_the_legend_and_filled_where_a_run_is_flagged_or_not_tested(figure):
    *points, filled = [trace for trace in figure.data if trace.mode == "markers"]
    assert [(trace.name, trace.x[0]) for trace in (*points, filled)] == [("m1", None), ("m2", None), (FILLED, None)]
    assert [list(trace.marker.symbol) for trace in points] == [
        ["circle-open", "circle", "circle-open"],
        ["diamond-open", "diamond-open", "diamond"],
    ]


def test_a_symbol_is_open_beside_the_same_labels_where_a_test_flags_nothing():
    points = displacement_figure(ROWS.assign(flagged=pd.NA), METHODS, "official").data
    assert list(points[0].marker.symbol) == ["circle-open"] * 3


@pytest.mark.parametrize(("of", "expected"), [("rank", [4.0, -3.0]), ("score", [0.1, -0.3])])
def test_points_are_the_displacements(of, expected):
    assert list(displacement_figure(ROWS, METHODS, "official", of=of).data[0].x[1:]) == expected


def test_an_interval_is_drawn_as_it_is_where_it_does_not_hold_what_was_observed(figure):
    line = next(trace for trace in figure.data if trace.mode == "lines")
    # the first run's 4 lies outside 1 to 3
    assert list(line.x[:3]) == [1.0, 3.0, None]


@pytest.mark.parametrize(
    ("rows", "of"), [(ROWS, "score"), (ROWS.assign(low=NAN, high=NAN), "rank")], ids=["score", "print"]
)
def test_scores_and_printed_figures_have_no_intervals(rows, of):
    figure = displacement_figure(rows, METHODS, "official", of=of)
    assert [trace for trace in figure.data if trace.mode == "lines"] == []


def test_a_point_shows_its_run_in_letters_and_a_click_tells_the_run_as_it_is_called(figure):
    point = list(figure.data[0].customdata[1])
    assert (point[:2], point[-2:]) == (["&lt;b&gt;up", "m1"], ["<b>up", "m1"])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ROWS, "3 runs against official, by 2 methods. Promoted most: <b>up; demoted most: down."),
        (ROWS.head(0), "No run is both evaluated and ranked"),
    ],
    ids=["runs", "none"],
)
def test_displacements_in_words(rows, words):
    assert words in displacement_alternative(rows, METHODS, "official")
