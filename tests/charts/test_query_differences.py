"""Differences by query, drawn from tables."""

import math

import pandas as pd
import pytest

from exam_core.charts.query_differences import differences_alternative, differences_figure

DIFFERENCES = pd.DataFrame(
    {
        "query_id": ["q1", "q2", "q3", "q4"],
        "query_text": ["<b>bold</b>", None, "x" * 200, "last"],
        "difference": [0.5, 0.0, -0.25, math.nan],
    }
)


@pytest.fixture
def differences():
    return differences_figure(DIFFERENCES, ahead="<a>", behind="b")


def test_bars_stand_in_the_order_of_the_rows(differences):
    assert [(tuple(trace.x), tuple(trace.y)) for trace in differences.data] == [((1,), (0.5,)), ((2, 3), (0.0, -0.25))]


def test_bars_that_point_down_are_hatched(differences):
    assert [trace.marker.pattern.shape for trace in differences.data] == ["", "/"]


def test_names_and_queries_are_not_read_as_html_and_long_ones_are_cut(differences):
    assert differences.data[0].name == "&lt;a&gt; is better"
    assert differences.data[0].customdata == (["q1: &lt;b&gt;bold&lt;/b&gt;", "q1"],)
    assert [details[0] for details in differences.data[1].customdata] == ["q2", f"q3: {'x' * 80}…"]


@pytest.mark.parametrize(
    ("interval", "drawn"),
    [((0.1, -0.1, 0.3), [(-0.1, 0.3), (0.1, 0.1)]), ((0.1, math.nan, math.nan), []), (None, [])],
    ids=["known", "undefined", "none"],
)
def test_the_interval_is_a_band_from_end_to_end_with_a_line_where_it_is_known(interval, drawn):
    figure = differences_figure(DIFFERENCES, ahead="a", behind="b", interval=interval)
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == drawn


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (DIFFERENCES, "a is better on 1, b on 1. The largest is +0.500, on q1."),
        (DIFFERENCES.assign(difference=0.0), "a is better on 0, b on 0."),
    ],
    ids=["some", "none"],
)
def test_the_differences_in_words_count_both_sides(rows, words):
    assert differences_alternative(rows, ahead="a", behind="b") == f"Differences on 4 queries: {words}"
