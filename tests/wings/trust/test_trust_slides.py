"""Figures and slides on trust, against what the analyses say themselves."""

import pandas as pd
import pytest

from exam_core.analysis.figures import figures_of
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.slides.slide import SlideContext
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.trust.fidelity import PARTS, fidelity, fidelity_alternative, fidelity_figure
from exam_core.wings.trust.slides import SLIDES
from exam_core.wings.trust.votes import votes
from tests.analysis.electorate import electorate

MODE = "lexical.pourpre-idf"

ASKED = Request("Cover@20", "open@1", tau=3, reference="official")

GRADERS, JUDGED = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}, "210320012302"


def slide_of(figures, mode, request=None, row=SLIDES[1], **address):
    view = View(row.title, (mode,), request or Request(), address=address)
    return row.make(SlideContext(view, figures, lambda made, *asked: made(*asked)))


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
        slide_of(figures_of(Store(demo_store).snapshot("demo")), MODE, Request(bank="open"))


def test_the_slide_of_fidelity_counts_the_pairs_after_holm(demo_store):
    figures = figures_of(Store(demo_store).snapshot("demo"))
    slide = slide_of(figures, MODE, ASKED, SLIDES[0])
    found = fidelity(figures.snapshot, figures.of(ASKED.but(grader=MODE, reference="qrels:nDCG@10:relevant_from=2")))
    [row] = found.rows[found.rows["adjustment"] == "Holm"].to_dict("records")
    assert slide.takeaway == (
        f"{row['reference']} of 105 pairs of 15 runs differ significantly by nDCG@10 of the judgments; Lexical match "
        f"finds {row['both'] or 'none'} of these at tau 3."
    )
    assert list(slide.ticks.values()) == [found.kendall, found.kendall_top]


def test_the_parts_of_a_bar_are_all_pairs():
    rows = pd.DataFrame([{"adjustment": "Holm", "pairs": 15} | dict(zip(PARTS, (1, 2, 3, 4, 5), strict=True))])
    words = {name: f"by {name}" for name in PARTS}
    assert sum(bar.x[0] for bar in fidelity_figure(rows, words).data) == 15
    assert "Holm: 1 by both, 2 by reference_only, 3 by board_only, 4 by opposite" in fidelity_alternative(rows, words)


def test_the_figure_of_fidelity_counts_the_pairs_that_its_rows_count(demo_collection):
    answer = demo_collection.fidelity(bank="open", measure="P@20", tau=3)
    for part, name in zip(
        answer.figure().data, ("both", "reference_only", "board_only", "opposite", "neither"), strict=True
    ):
        assert list(part.x) == answer.rows[name].tolist()
    assert answer.tables["pairs"].attrs["table"] == "fidelity: pairs"
    [row] = answer.rows[answer.rows["adjustment"] == "Holm"].to_dict("records")
    differ = f"{row['reference']} differ significantly by P@20 of the judgments and {row['board']} by open P@20"
    assert answer.notes[0].startswith(f"Of {row['pairs']} pairs of 15 runs, {differ}")
    assert answer.notes[1].startswith("Kendall's tau of the two is ")
