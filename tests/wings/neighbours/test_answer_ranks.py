"""Strips, sizes and flows of generated answers: what stands where, and what the words say."""

import numpy as np
import pandas as pd
import pytest

from exam_core.wings.neighbours.slides import (
    flow_alternative,
    flow_figure,
    size_alternative,
    size_figure,
    strip_alternative,
    strip_figure,
)

NAN = float("nan")
ROWS = pd.DataFrame(
    {
        "system": ["<b>", "small", "<b>"],
        "prompt": ["p", "p", "o"],
        "mean": [0.9, 0.5, 0.7],
        "low": [0.8, 0.4, NAN],
        "high": [1.1, 0.6, NAN],
        "n_queries": [2, 2, 1],
        "parameters": [7e9, NAN, 7e9],
    }
)
QUERIES = pd.DataFrame(
    {
        "system": ["<b>", "<b>", "small", "small", "<b>"],
        "prompt": ["p", "p", "p", "p", "o"],
        "query_id": ["q1", "q2", "q1", "q2", "q1"],
        "value": [0.8, 1.0, 0.4, 0.6, 0.7],
    }
)
PLACES = pd.DataFrame(
    [("ranker", 1, "a", 2), ("ranker", 2, "b", 1), ("ranker", 2, "Document", 1)],
    columns=["side", "place", "kind", "items"],
)
FLOWS = pd.DataFrame(
    [("ranker", 1, "a", "b", 1), ("ranker", 1, "a", "Document", 1)],
    columns=["side", "place", "kind", "next_kind", "items"],
)


def test_a_strip_has_its_queries_around_its_mean_a_query_at_one_place_and_names_letter_for_letter():
    figure = strip_figure(QUERIES, ROWS, ["<b>", "small"], ["o", "p"])
    without, points, means = figure.data[1:]
    assert list(points.y) == [0.8, 1.0, 0.4, 0.6]
    assert list(means.x) == pytest.approx([0.2, 1.2])
    offsets = np.asarray(points.x) - np.repeat(means.x, 2)
    assert np.abs(offsets).max() <= 0.14
    assert offsets[:2] == pytest.approx(offsets[2:])
    assert list(means.error_y.array) == pytest.approx([0.2, 0.1])
    assert (list(without.error_y.array), list(without.error_y.arrayminus)) == ([0], [0])
    assert list(figure.layout.xaxis.ticktext) == ["&lt;b&gt;", "small"]
    assert [one.name for one in size_figure(ROWS[:2], "p").data] == ["&lt;b&gt;"]


def test_the_words_name_the_best_and_the_worst():
    assert strip_alternative(ROWS, 2) == (
        "NRP of 2 systems with 2 prompts, a point for each of 2 queries, with means and 95% intervals. "
        "Highest mean: <b> with p, 0.9000. Lowest: small with p, 0.5000."
    )


def test_sizes_stand_on_a_logarithmic_axis_and_unknown_ones_are_named():
    figure = size_figure(ROWS[:2], "p")
    assert (list(figure.data[0].x), figure.layout.xaxis.type) == ([7e9], "log")
    assert size_alternative(ROWS[:2], "p").endswith("<b> (7e+09) 0.9000. Unknown size: small.")


def test_a_flow_leads_from_a_place_to_the_next():
    (sankey,) = flow_figure(PLACES, FLOWS, ["Document", "a", "b"], "ranker").data
    assert list(sankey.node.label) == ["a (2)", "b (1)", "Document (1)"]
    assert (list(sankey.link.source), list(sankey.link.target), list(sankey.link.value)) == ([0, 0], [1, 2], [1, 1])
    assert list(sankey.node.x) == pytest.approx([0.001, 0.999, 0.999])
    assert all(0 < height < 1 for height in sankey.node.y)


def test_a_kind_keeps_its_colour_on_both_sides():
    kinds = ["Document", "a", "b"]
    first, second = (flow_figure(places, FLOWS[:0], kinds, "ranker").data[0] for places in (PLACES, PLACES[1:]))
    assert first.node.color[1:] == second.node.color


def test_the_flow_in_words_goes_place_by_place():
    assert flow_alternative(PLACES, "ranker") == (
        "How the ranker orders: place 1: a (2); place 2: b (1), Document (1)."
    )
