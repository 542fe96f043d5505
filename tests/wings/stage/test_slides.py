"""Slides: each page's one sentence and coefficients, against what the analyses say themselves; and links."""

import re
from dataclasses import replace

import pytest

from exam_core.actions.importing import import_labels
from exam_core.analysis.figures import figures_of
from exam_core.charts.chart_layout import words_of
from exam_core.defaults import Sampling
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import CHANGED, View
from exam_core.wings.stage.report_page import ReportOrigin, leads_elsewhere
from exam_core.wings.stage.slides import declared, slide_of, story_html, titles
from exam_core.wings.stage.story import Story
from tests.analysis.electorate import electorate
from tests.analysis.worlds import ranking, store_of
from tests.wings import added_to

MODE, VOTES = "lexical.pourpre-idf", "Grading modes as votes"
GRADERS, JUDGED = {"a": "110011010010", "b": "101101100110", "c": "111000101101"}, "210320012302"
ASKED = Request("Cover@20", "open@1", tau=3, reference="official")
OTHERS = added_to({"Reproduce": ("dl19-published", "Cover", Request("", tau=4))}, "OF_OTHERS")
"""Slides that the demo has nothing for: a collection that has, a series, and what is asked."""
SLIDES = {title: row for title, row in declared().items() if not row.of_store and title not in added_to({}, "APART")}
PRINTED = [title for title, row in SLIDES.items() if row.takes is None or title in ("Agreement", "Reproduce")]


def other(store, page, **own):
    collection, series, asked = OTHERS[page]
    address = {name: [value] for name, value in own.items()}
    return figures_of(Store(store).snapshot(collection)), View(page, (series,), asked, address=address)


def demo(store, page, **said):
    own = {name: said.pop(name) for name in list(said) if name not in View.__dataclass_fields__}
    address = {name: [value] for name, value in own.items()}
    return figures_of(Store(store).snapshot("demo")), View(page, (MODE,), ASKED, address=address, **said)


def test_the_leaderboard_says_how_close_it_is_and_how_many_runs_are_flagged(demo_store):
    figures, view = demo(demo_store, "Leaderboard")
    slide, asked = slide_of(figures, view), ASKED.but(grader=MODE)
    (board,) = figures.boards(asked)
    flags = figures.outliers(ASKED, ("Cover@20",), (MODE,), Sampling())[0].rows["flagged"].sum()
    kendall = board.correlation.kendall
    assert slide.takeaway == (
        f"Cover@20 of Lexical match (tau 3) correlates with the official ranking: Kendall {kendall:.3f}; "
        f"{flags or 'none'} of 15 runs {'is' if flags < 2 else 'are'} significantly displaced."
    )
    assert slide.ticks == {
        "Spearman": board.correlation.spearman,
        "Kendall": kendall,
        "kappa": figures.agreement(asked.but(reference=None)).kappa,
    }
    assert slide.ticks_of == (
        "Cover@20 of Lexical match (tau 3) against the official ranking; "
        "kappa: grade at least 3, human judgment at least 2"
    )


@pytest.mark.parametrize("page", [title for title in SLIDES if title != VOTES])
def test_every_slide_has_a_chart_a_sentence_and_its_figures(demo_store, page):
    slide = slide_of(*(other if page in OTHERS else demo)(demo_store, page))
    assert (bool(slide.takeaway), bool(words_of(slide.figure)), bool(len(slide.figure.data))) == (True, True, True)
    assert [name for name in slide.table.columns if name not in slide.of.names] == []


@pytest.mark.parametrize("page", PRINTED)
def test_printed_figures_have_slides_too(demo_store, page):
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    slide = slide_of(figures, View(page, (figures.series()[0],), Request("", tau=4, reference="official")))
    assert slide.takeaway
    assert len(slide.figure.data)


def test_a_collection_is_presented_with_the_slides_that_it_has_something_for(demo_store, tmp_path):
    of_demo, of_print = (figures_of(Store(demo_store).snapshot(name)) for name in ("demo", "car-y3-published"))
    usual = [title for title in SLIDES if title not in OTHERS]
    assert titles(of_demo) == [title for title in usual if title != VOTES], "one grading mode is no electorate"
    assert titles(of_print) == PRINTED
    several = figures_of(electorate(tmp_path, GRADERS, JUDGED))
    known = [title for title in titles(several) if title in SLIDES]
    assert known == [title for title in usual if title not in ("Questions", "Length")], "whole passages are labelled"
    assert "Significantly different pairs" not in titles(figures_of(electorate(tmp_path / "unjudged", GRADERS)))
    assert [page for page in OTHERS if page not in titles(other(demo_store, page)[0])] == []


def test_whole_passages_are_no_reason_for_a_slide_of_questions(own_store, tmp_path):
    (labels := tmp_path / "labels.txt").write_text("demo-01 0 skin-19 1\n")
    import_labels(Store(own_store), "demo", labels, grader="Sun")
    figures = figures_of(Store(own_store).snapshot("demo"))
    assert "Questions" not in titles(figures, ("Sun",))
    assert "Questions" in titles(figures, ("Sun", MODE))
    mixed = View("Questions", ("Sun", MODE), Request("P@20", "open@1", tau=3))
    assert slide_of(figures, mixed).takeaway == slide_of(figures, replace(mixed, series=(MODE,))).takeaway


def test_a_run_that_a_view_leaves_out_is_out(demo_store):
    figures, view = demo(demo_store, "Leaderboard", without=("lsa-8",))
    assert "lsa-8" not in slide_of(figures, view).table["run_id"].tolist()


def test_a_view_leaves_the_queries_own_documents_out_if_its_address_says_so(tmp_path):
    rows = [*ranking("a", "q1", ["q1", "d1"]), *ranking("b", "q1", ["d1", "d2"])]
    figures = figures_of(store_of(tmp_path, {"rankings": rows, "judgments": [("official", "q1", "d1", 2)]}))
    view = View("Leaderboard", ("judgments:official",), Request("RR", depth=10))
    means = [
        slide_of(figures, replace(view, address=address)).table.set_index("run_id")["mean"].to_dict()
        for address in ({}, {"own_document": ["no"]})
    ]
    assert means == [{"a": 0.5, "b": 1}, {"a": 1, "b": 1}]


def test_a_page_without_a_slide_says_which_have_one(demo_store):
    with pytest.raises(UsageError, match=r"Grading has no slide\. There are slides of: Leaderboard"):
        slide_of(*demo(demo_store, "Grading"))


def test_a_story_s_page_has_every_view_and_what_it_was_made_from(demo_store):
    figures, first = demo(demo_store, "Leaderboard", title="<b>One</b>", note="Look here", fingerprint="other")
    _, gone = demo(demo_store, "Leaderboard", title="Gone", without=("nobody",))
    link = "http://127.0.0.1:8501/?collection=demo&story=s&present=1"
    origin = ReportOrigin("demo", figures.snapshot.fingerprint, "story s", "2026-01-02", link)
    page = story_html(Story("s", (first, gone)), lambda _: figures, origin)
    wanted = ("1. &lt;b&gt;One&lt;/b&gt;", "Look here", CHANGED, slide_of(figures, first).takeaway, "2. Gone")
    wanted += ("has no such run", figures.snapshot.fingerprint, "@inproceedings", "leads to this machine alone")
    assert [text for text in wanted if text not in page] == []
    assert "<b>One" not in page


def test_a_story_has_views_of_several_collections_and_sentences_of_ones_own(demo_store):
    store = Store(demo_store)
    _, own = demo(demo_store, "Leaderboard", sentence="Said <i>by us</i>")
    _, silent = demo(demo_store, "Agreement", sentence="")
    columns = ("tqa Cover@20 verified answers", "genq Cover@20 tau=4")
    published = View("Outliers", columns, Request("", tau=4), collection="car-y3-published")
    lost = View("Outliers", (), Request("", tau=4), collection="lost")
    origin = ReportOrigin("demo", "f", "story s", "2026-01-02", "")
    views = (own, silent, published, lost)
    page = story_html(Story("s", views), lambda name: figures_of(store.snapshot(name)), origin)
    wanted = ("s: demo, car-y3-published", "Said &lt;i&gt;by us&lt;/i&gt;", "ICT-DRMMTKS ranks higher than officially")
    assert [text for text in (*wanted, "There is no collection lost") if text not in page] == []
    assert "and the judges agree with" not in page
    assert " --" not in re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL), "no flags of a command line"


def test_a_link_to_this_machine_is_told_from_others():
    here = ("http://127.0.0.1:8501/?x=1", "http://localhost:8501/", "http://[::1]:8501/", "")
    elsewhere = ("https://board.example.org/leaderboard", "http://192.168.0.7:8501/")
    assert [*map(leads_elsewhere, here + elsewhere)] == [False] * 4 + [True] * 2
