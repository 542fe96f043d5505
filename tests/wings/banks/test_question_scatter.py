"""Questions by difficulty and discrimination: kinds keep symbol and colour, what is undefined has no point."""

import math
import re

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import words_of
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.banks.health import counts_of_kinds, difficulty
from exam_core.wings.banks.slides import SLIDES, SYMBOLS, difficulty_figure

ROWS = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "q2"],
        "question_id": ["a", "b", "c", "d"],
        "question_text": ["<b>?", None, "c?", "d?"],
        "kind": ["discriminating", "negative", "universal", "discriminating"],
        "runs": [2, 3, 4, 1],
        "runs_share": [0.5, 0.75, 1.0, 0.25],
        "item_rest": [0.9, -0.2, math.nan, 0.8],
    }
)


def trace(figure, kind):
    return next(one for one in figure.data if one.name == kind)


@pytest.mark.parametrize(("kind", "points"), [("discriminating", [(0.5, 0.9), (0.25, 0.8)]), ("universal", [])])
def test_a_point_is_share_of_runs_and_correlation_where_there_is_one(kind, points):
    drawn = trace(difficulty_figure(ROWS, 0.5), kind)
    assert list(zip(drawn.x, drawn.y, strict=True)) == points


def test_a_kind_has_a_symbol_and_keeps_its_colour_and_of_many_questions_some_are_drawn(monkeypatch):
    names = [[one.name for one in difficulty_figure(rows, 0.5).data] for rows in (ROWS, ROWS.head(1))]
    assert (names, len(set(SYMBOLS.values()))) == ([list(SYMBOLS)] * 2, len(SYMBOLS))
    monkeypatch.setattr("exam_core.charts.chart_layout.MOST_POINTS", 2)
    drawn = difficulty_figure(ROWS, 0.5)
    said = "share of the runs that answer it (2 of 3, evenly spread)"
    assert ([len(one.x) for one in drawn.data if len(one.x)], drawn.layout.xaxis.title.text) == ([2], said)


@pytest.mark.parametrize(
    ("kind", "told"), [("discriminating", ["q1", "a", "&lt;b&gt;?"]), ("negative", ["q1", "b", "b"])]
)
def test_a_click_tells_query_and_question_which_goes_by_its_text_or_its_id(kind, told):
    assert list(trace(difficulty_figure(ROWS, 0.5), kind).customdata[0][:3]) == told


@pytest.mark.parametrize(("told", "heights"), [(0.5, [0, 0.5, -0.5]), (math.nan, [0])], ids=["some", "too few runs"])
def test_lines_mark_what_is_not_told_from_zero(told, heights):
    assert [line.y0 for line in difficulty_figure(ROWS, told).layout.shapes] == heights


def test_the_chart_in_words():
    assert words_of(difficulty_figure(ROWS, 0.5)) == (
        "3 questions by the share of runs that answer them and by item-rest correlation: 2 discriminating, 1 negative. "
        "Answered by all runs or by none, and so without a correlation: 1."
    )


MODE = "lexical.pourpre-idf"
ASKED = Request("Cover@20", "open@1", tau=3, reference="official")


def slide_of(figures, **address):
    [row] = SLIDES
    return row.make(
        SlideContext(View(row.title, (MODE,), ASKED, address=address), figures, lambda made, *asked: made(*asked))
    )


def test_the_slide_of_questions_counts_their_kinds_and_shows_those_that_were_picked(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    found = difficulty(figures.snapshot, figures.of(ASKED.but(grader=MODE)))
    whole = slide_of(figures)
    counts = counts_of_kinds(found.rows)
    assert f" of {len(found.rows)} questions separate good runs from bad; " in whole.takeaway
    assert [kind for kind, n in counts.items() if not re.search(rf"\b{n}\b", whole.takeaway)] == []
    kind = next(iter(counts))
    assert len(slide_of(figures, difficulty_kind=[kind]).table) == counts[kind]
