"""Slides of generated answers: what they say of the demo, and why they can't."""

import pytest

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.neighbours.nrp import expert_agreement, nrp
from exam_core.wings.neighbours.nuggets import nuggets
from exam_core.wings.neighbours.slides import nugget_scores, ranked_answers

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
