"""The stage, without a browser: which slide an address shows, and what becomes of one that makes no sense."""

import shutil
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


def shown(test):
    return sentences(test)


@pytest.mark.parametrize(
    ("page", "slide", "title"),
    [
        ("methods", "", "Choose method and tau"),
        ("methods", "runs-told-apart", "Significantly different pairs"),
        ("grading", "", "Leaderboard"),
        ("methods", "nonsense", "Leaderboard"),
        ("methods", "last", "Take it along"),
    ],
)
def test_an_address_names_its_slide(demo_store, monkeypatch, page, slide, title):
    asked = {"slide": slide} if slide else {}
    said = shown(opened(page, demo_store, monkeypatch, collection="demo", present="1", **asked))
    assert f">{title}</h1>" in said


def test_the_guide_to_presenting_says_which_pages_have_no_slide():
    said = " ".join((ROOT / "docs" / "how-to" / "present-and-share.md").read_text(encoding="utf-8").split())
    first, *others = [one.title for one in menu.PAGES if one.title not in pages()]
    assert f"{first}, {', '.join(others[:-1])} and {others[-1]} have no slide." in said
    assert [row for row in declared().values() if row.part_of and f"*{row.title}*" not in said] == []


def test_the_last_slide_has_fingerprint_citation_and_the_code_of_the_link(demo_store, monkeypatch):
    test = opened(
        "pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo", present="1", slide="last"
    )
    fingerprint = Store(demo_store).snapshot("demo").fingerprint
    wanted = (f"data {fingerprint}", f"Examboard {__version__}", "data:image/svg+xml", "leads to this machine alone")
    assert [text for text in wanted if text not in shown(test)] == []


def test_a_presentation_shows_one_chart_and_no_table(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo", present="1")
    assert "<table" not in shown(test)
    test.session_state["figures on the stage"] = True
    assert sentences(test.run()).count("<tr>") == 1 + 15, "a heading and all runs"


@pytest.mark.parametrize(
    ("page", "collection", "said"),
    [
        ("nuggets", "demo-nuggets", "graded by Nuggetizer"),
        ("generated", "demo-answers", "ranked by bm25"),
        ("reliability", "dl19-published", "figures are drawn"),
    ],
)
def test_a_slide_that_the_bar_has_no_part_in_says_its_own_choice_and_has_no_tau(
    demo_store, monkeypatch, page, collection, said
):
    asked = {"nuggets": {"modes": "nuggetizer"}, "reliability": {"reliability_part": "Reproduce"}}.get(page, {})
    test = opened(page, demo_store, monkeypatch, collection=collection, present="1", **asked)
    assert said in shown(test)
    assert "tau = " not in shown(test)


def test_a_story_shows_its_views_whatever_the_bar_says(demo_store, monkeypatch, tmp_path):
    shutil.copytree(demo_store, tmp_path, dirs_exist_ok=True)
    stories.pin_view(Store(tmp_path), "demo", "s", VIEW)
    test = opened(
        "pages/leaderboard/leaderboard.py", tmp_path, monkeypatch, collection="demo", present="1", story="s", tau="5"
    )
    said = slide_of(figures_of(Store(tmp_path).snapshot("demo")), VIEW).takeaway
    assert [text for text in ("Who moves", "Look up", said, "tau = 3") if text not in shown(test)] == []


def test_a_story_of_several_collections_shows_each_view_of_its_own(demo_store, monkeypatch, tmp_path):
    shutil.copytree(demo_store, tmp_path, dirs_exist_ok=True)
    columns = ("tqa Cover@20 verified answers", "genq Cover@20 tau=4")
    published = View("Outliers", columns, Request("", tau=4), collection="car-y3-published")
    stories.pin_view(Store(tmp_path), "demo", "s", replace(VIEW, sentence=""))
    stories.pin_view(Store(tmp_path), "demo", "s", published)
    asked = {"collection": "car-y3-published", "present": "1", "story": "s", "story_of": "demo"}
    test = opened("pages/leaderboard/leaderboard.py", tmp_path, monkeypatch, **asked)
    assert "stage-said" not in shown(test).split("</style>")[-1], "its sentence is hidden"
    test = opened("pages/leaderboard/leaderboard.py", tmp_path, monkeypatch, slide="2", **asked)
    assert "ICT-DRMMTKS ranks higher than officially" in shown(test)
    test = opened("pages/leaderboard/leaderboard.py", tmp_path, monkeypatch, slide="last", **asked)
    assert "story s of demo, car-y3-published" in shown(test)


def test_a_story_that_is_not_there_says_so(demo_store, monkeypatch):
    test = opened(
        "pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo", present="1", story="../x"
    )
    assert "is not a name of a story" in shown(test)


def test_a_slide_by_judgments_has_no_tau_and_pages_that_take_grades_have_none(judged_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", judged_store, monkeypatch, collection="mine", present="1")
    assert "nDCG@10 of official judgments correlates with AP of the" in shown(test)
    assert not {"Agreement", "Correlation"} & set(titles(figures_of(Store(judged_store).snapshot("mine"))))
