"""Charts and slides of generated answers and nuggets: what stands where, and what the words say."""

import numpy as np
import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import words_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.neighbours.nrp import expert_agreement, nrp
from exam_core.wings.neighbours.nuggets import nuggets
from exam_core.wings.neighbours.slides import (
    flow_figure,
    nugget_scores,
    ranked_answers,
    scores_alternative,
    scores_figure,
    size_figure,
    strip_figure,
    taus_figure,
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
    assert words_of(figure) == (
        "NRP of 2 systems with 2 prompts, a point for each of 2 queries, with means and 95% intervals. "
        "Highest mean: <b> with p, 0.9000. Lowest: small with p, 0.5000."
    )


def test_sizes_stand_on_a_logarithmic_axis_and_unknown_ones_are_named():
    figure = size_figure(ROWS[:2], "p")
    assert (list(figure.data[0].x), figure.layout.xaxis.type) == ([7e9], "log")
    assert [one.name for one in figure.data] == ["&lt;b&gt;"]
    assert words_of(figure).endswith("<b> (7e+09) 0.9000. Unknown size: small.")


def test_a_flow_leads_from_a_place_to_the_next_and_a_kind_keeps_its_colour_on_both_sides():
    figure = flow_figure(PLACES, FLOWS, ["Document", "a", "b"], "ranker")
    (sankey,) = figure.data
    assert list(sankey.node.label) == ["a (2)", "b (1)", "Document (1)"]
    assert (list(sankey.link.source), list(sankey.link.target), list(sankey.link.value)) == ([0, 0], [1, 2], [1, 1])
    assert list(sankey.node.x) == pytest.approx([0.001, 0.999, 0.999])
    assert all(0 < height < 1 for height in sankey.node.y)
    assert words_of(figure) == "How the ranker orders: place 1: a (2); place 2: b (1), Document (1)."
    kinds = ["Document", "a", "b"]
    first, second = (flow_figure(places, FLOWS[:0], kinds, "ranker").data[0] for places in (PLACES, PLACES[1:]))
    assert first.node.color[1:] == second.node.color


MODE = "lexical.pourpre-idf"


def told(figures, series, asked, **own):
    view = View("", (series,), asked, address={name: [value] for name, value in own.items()})
    return SlideContext(view, figures, lambda function, *arguments, **options: function(*arguments, **options))


@pytest.fixture
def demo(demo_store):
    return told(figures_of(Store(demo_store).snapshot("demo")), MODE, Request("Cover@20", "open@1", tau=3))


def test_the_slide_of_nuggets_names_the_run_with_most_vital_ones(demo_store, demo):
    figures = figures_of(Store(demo_store).snapshot("demo-nuggets"))
    slide = nugget_scores(told(figures, "nuggetizer", Request(tau=4)))
    choice = figures.of(Request(grader="nuggetizer"))
    assert choice is not None
    best, second = nuggets(figures.snapshot, choice.labelling).rows.to_dict("records")[:2]
    assert slide.takeaway.startswith(f"{best['run_id']}: 100% of the vital nuggets supported")
    assert slide.takeaway.endswith(f"next: {second['run_id']}, {second['strict_vital_score']:.0%}.")
    assert slide.settings == "demo-nuggets, bank nuggets@1, graded by Nuggetizer, depth 20"
    with pytest.raises(UsageError, match="so there are no nuggets"):
        nugget_scores(demo)


def test_the_slide_of_ranks_is_by_the_ranker_and_convention_that_were_chosen(demo_store, demo):
    figures = figures_of(Store(demo_store).snapshot("demo-answers"))
    slide = ranked_answers(told(figures, "NRP", Request("Cover@20"), generated_convention="documents"))
    found = nrp(figures.snapshot, convention="documents")
    best = found.systems.iloc[0]
    said = f"Answers of {best['system']} rank highest among the judged documents: NRP {best['mean']:.3f}"
    assert said in slide.takeaway
    assert slide.table["mean"].tolist() == found.rows["mean"].tolist()
    assert slide.ticks["RBO with expert"] == expert_agreement(figures.snapshot).rbo
    with pytest.raises(UsageError, match="has no ranks of generated answers"):
        ranked_answers(demo)


NUGGET_ROWS = pd.DataFrame(
    {
        "run_id": ["a", "b"],
        "strict_vital_score": [0.5, 0.25],
        "vital_score": [0.6, 0.5],
        "strict_weighted_score": [0.4, 0.2],
        "weighted_score": [0.5, 0.3],
        "strict_all_score": [0.3, 0.1],
        "all_score": [0.4, 0.2],
    }
)


def test_each_share_has_a_strict_bar_on_a_lenient_one_and_its_words_name_the_best_run():
    bars = scores_figure(NUGGET_ROWS).data
    assert [list(bar.x) for bar in bars] == [
        NUGGET_ROWS[name].tolist()
        for name in (
            "vital_score",
            "strict_vital_score",
            "weighted_score",
            "strict_weighted_score",
            "all_score",
            "strict_all_score",
        )
    ]
    assert [bar.name for bar in bars if bar.showlegend] == ["partial support as half", "support alone (strict)"]
    # Colour is not the only cue.
    assert [bar.marker.pattern.shape for bar in bars[:2]] == ["/", ""]
    assert scores_alternative(NUGGET_ROWS) == (
        "Nugget scores of 2 runs. By support of vital nuggets alone a leads with 0.500, 0.600 with partial support as "
        "half."
    )
    assert scores_alternative(NUGGET_ROWS.assign(strict_vital_score=float("nan"))) == "No run has a vital score."


def test_shuffles_are_a_histogram_with_a_line_for_each_other_labelling():
    figure = taus_figure([1.0, 0.5, float("nan")], {"everything vital": 0.25, "exchanged": float("nan")})
    assert list(figure.data[0].x)[:2] == [1.0, 0.5]
    assert [note.text for note in figure.layout.annotations] == ["everything vital 0.25"]
    assert words_of(figure) == (
        "Kendall's tau-b of 2 shuffles with the unchanged leaderboard: mean 0.750, from 0.500 to 1.000."
    )
    assert words_of(taus_figure([], {})).startswith("No shuffled leaderboard")
