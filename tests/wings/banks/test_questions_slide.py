"""The slide of questions, against what the analysis says itself."""

import re

from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.banks.health import counts_of_kinds, difficulty
from exam_core.wings.banks.slides import SLIDES

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
