"""The stage, without a browser: which slide an address shows, and what becomes of one that makes no sense."""

from dataclasses import replace
from pathlib import Path

import pytest
from dashboards import opened, sentences

from exam_core import __version__
from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import stories
from exam_core.wings.stage.slides import declared, pages, slide_of, titles
from pages.shared import menu

ROOT = Path(__file__).parents[3]
MODE = "lexical.pourpre-idf"
VIEW = View("Outliers", (MODE,), Request(bank="open@1", tau=3, reference="official"), title="Who moves", note="Look up")


@pytest.mark.parametrize(
    ("page", "slide", "title"),
    [
        ("methods", "", "Choose method and tau"),
        ("methods", "runs-told-apart", "Significantly different pairs"),
        ("grading", "", "Leaderboard"),
        ("methods", "nonsense", "Leaderboard"),
    ],
)
def test_an_address_names_its_slide(demo_store, monkeypatch, page, slide, title):
    asked = {"slide": slide} if slide else {}
    said = sentences(opened(page, demo_store, monkeypatch, collection="demo", present="1", **asked))
    assert f">{title}</h1>" in said


def test_the_guide_to_presenting_says_which_pages_have_no_slide():
    said = " ".join((ROOT / "docs" / "how-to" / "present-and-share.md").read_text(encoding="utf-8").split())
    first, *others = [one.title for one in menu.PAGES if one.title not in pages()]
    assert f"{first}, {', '.join(others[:-1])} and {others[-1]} have no slide." in said
    assert [row for row in declared().values() if row.part_of and f"*{row.title}*" not in said] == []


def test_the_last_slide_has_fingerprint_citation_and_the_code_of_the_link(demo_store, monkeypatch):
    test = opened("leaderboard", demo_store, monkeypatch, collection="demo", present="1", slide="last")
    fingerprint = Store(demo_store).snapshot("demo").fingerprint
    wanted = (f"data {fingerprint}", f"Examboard {__version__}", "data:image/svg+xml", "leads to this machine alone")
    assert [text for text in wanted if text not in sentences(test)] == []


def test_a_presentation_shows_one_chart_and_no_table(demo_store, monkeypatch):
    test = opened("leaderboard", demo_store, monkeypatch, collection="demo", present="1")
    assert "<table" not in sentences(test)
    test.session_state["figures on the stage"] = True
    assert sentences(test.run()).count("<tr>") == 1 + 15, "a heading and all runs"


@pytest.mark.parametrize(
    ("page", "collection", "said"),
    [("nuggets", "demo-nuggets", "graded by Nuggetizer"), ("reliability", "dl19-published", "figures are drawn")],
)
def test_a_slide_that_the_bar_has_no_part_in_says_its_own_choice_and_has_no_tau(
    demo_store, monkeypatch, page, collection, said
):
    asked = {"nuggets": {"modes": "nuggetizer"}, "reliability": {"reliability_part": "Reproduce"}}.get(page, {})
    test = opened(page, demo_store, monkeypatch, collection=collection, present="1", **asked)
    assert said in sentences(test)
    assert "tau = " not in sentences(test)


def test_a_story_shows_its_views_whatever_the_bar_says(own_store, monkeypatch):
    store = Store(own_store)
    stories.pin_view(store, "demo", "s", VIEW)
    test = opened("leaderboard", own_store, monkeypatch, collection="demo", present="1", story="s", tau="5")
    said = slide_of(figures_of(store.snapshot("demo")), VIEW).takeaway
    assert [text for text in ("Who moves", "Look up", said, "tau = 3") if text not in sentences(test)] == []


def test_a_story_of_several_collections_shows_each_view_of_its_own(own_store, monkeypatch):
    columns = ("tqa Cover@20 verified answers", "genq Cover@20 tau=4")
    published = View("Outliers", columns, Request("", tau=4), collection="car-y3-published")
    stories.pin_view(Store(own_store), "demo", "s", replace(VIEW, sentence=""))
    stories.pin_view(Store(own_store), "demo", "s", published)
    asked = {"collection": "car-y3-published", "present": "1", "story": "s", "story_of": "demo"}
    test = opened("leaderboard", own_store, monkeypatch, **asked)
    assert "stage-said" not in sentences(test).split("</style>")[-1], "its sentence is hidden"
    test = opened("leaderboard", own_store, monkeypatch, slide="2", **asked)
    assert "ICT-DRMMTKS ranks higher than officially" in sentences(test)
    test = opened("leaderboard", own_store, monkeypatch, slide="last", **asked)
    assert "story s of demo, car-y3-published" in sentences(test)


def test_a_story_that_is_not_there_says_so(demo_store, monkeypatch):
    test = opened("leaderboard", demo_store, monkeypatch, collection="demo", present="1", story="../x")
    assert "is not a name of a story" in sentences(test)


def test_a_slide_by_judgments_has_no_tau_and_pages_that_take_grades_have_none(judged_store, monkeypatch):
    test = opened("leaderboard", judged_store, monkeypatch, collection="mine", present="1")
    assert "nDCG@10 of official judgments correlates with AP of the" in sentences(test)
    assert not {"Agreement", "Correlation"} & set(titles(figures_of(Store(judged_store).snapshot("mine"))))
