"""The slide of reproduction, against what the analysis says itself."""

import pytest

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.reproduction.reproduction import DIFFERS, reproduction
from exam_core.wings.reproduction.slides import SIGNS, SLIDES


def slide_of(figures, hidden=(), **address):
    [row] = SLIDES
    view = View(row.title, tuple(figures.series()), Request("", tau=4), hidden, address=address)
    return row.make(SlideContext(view, figures, lambda made, *asked: made(*asked)))


def test_it_is_of_all_runs_and_the_verdicts_that_were_picked(demo_store):
    figures = figures_of(Store(demo_store).snapshot("dl19-published"))
    picked = {"reproduce_verdicts": [SIGNS[DIFFERS]]}
    slide = slide_of(figures, **picked)
    assert slide.takeaway == reproduction(figures.snapshot).sentence
    assert set(slide.table["verdict"]) == {DIFFERS}
    run = figures.runs(figures.series())[0]
    assert len(slide_of(figures, (run,), **picked).table) == len(slide.table)


def test_figures_that_are_no_scores_have_none(demo_store):
    of_rules = figures_of(Store(demo_store).snapshot("demo-nuggets"))
    with pytest.raises(UsageError, match="None of them is a score"):
        slide_of(of_rules)
