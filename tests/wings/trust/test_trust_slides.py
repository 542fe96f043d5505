"""Slides on trust, against what the analyses say themselves."""

import pytest

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.trust.fidelity import fidelity
from exam_core.wings.trust.slides import SLIDES
from exam_core.wings.trust.votes import votes
from tests.analysis.electorate import electorate

MODE = "lexical.pourpre-idf"
ASKED = Request("Cover@20", "open@1", tau=3, reference="official")
GRADERS, JUDGED = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}, "210320012302"


def slide_of(figures, mode, bank=None, **address):
    row = SLIDES[1]
    return row.make(
        SlideContext(
            View(row.title, (mode,), Request(bank=bank), address=address), figures, lambda made, *asked: made(*asked)
        )
    )


def test_the_slide_of_votes_says_what_modes_are_worth_and_whether_their_majority_gains(tmp_path):
    figures = figures_of(electorate(tmp_path, GRADERS, JUDGED))
    slide = slide_of(figures, "a")
    found = votes(figures.snapshot, list(GRADERS), Request())
    majority = found.rows["accuracy"].iloc[-1]
    assert slide.takeaway.startswith(f"3 grading modes count as much as {found.votes:.1f} independent ones (")
    assert f"their majority is right on {majority:.1%} of 12 passages" in slide.takeaway
    assert slide.table["accuracy"].tolist() == found.rows["accuracy"].tolist()
    picked = slide_of(figures, "a", voters=["a", "b"])
    assert picked.takeaway.startswith("2 grading modes")


def test_votes_of_one_mode_are_refused_with_what_they_take(demo_store):
    with pytest.raises(UsageError, match="needs several grading modes and human judgments"):
        slide_of(figures_of(Store(demo_store).snapshot("demo")), MODE, "open")


def test_the_slide_of_fidelity_counts_the_pairs_after_holm(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    row = SLIDES[0]
    slide = row.make(SlideContext(View(row.title, (MODE,), ASKED), figures, lambda made, *asked: made(*asked)))
    found = fidelity(figures.snapshot, figures.of(ASKED.but(grader=MODE, reference="qrels:nDCG@10:relevant_from=2")))
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    assert slide.takeaway == (
        f"{row['reference']} of 105 pairs of 15 runs differ significantly by nDCG@10 of the judgments; Lexical match "
        f"finds {row['both'] or 'none'} of these at tau 3."
    )
    assert list(slide.ticks.values()) == [found.kendall, found.kendall_top]
