"""The page Nuggets on the demo's answers: its figures are those of the analysis, its answers those of the file."""

import pytest
from dashboards import at_tab, charts, opened, sentences, table

from exam_core.aliases import in_words
from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.contents import names_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.table_text import to_read
from exam_core.wings.neighbours.nuggets import BY_IMPORTANCE, importance_effect, nuggets

PAGE = "pages/neighbours/nuggets.py"
ASKED = {"collection": "demo-nuggets", "mode": "nuggetizer", "modes": "nuggetizer"}


@pytest.fixture(scope="module")
def page(demo_store):
    with pytest.MonkeyPatch.context() as patch:
        yield opened(PAGE, demo_store, patch, **ASKED, nuggets_run="gen-chatty", nuggets_query="demo-03")


def test_scores_and_labels_are_those_of_the_analysis(demo_store, page):
    snapshot = Store(demo_store).snapshot("demo-nuggets")
    found = nuggets(snapshot, choose_labelling(snapshot, Request(grader="nuggetizer")))
    scores = table(page, "all_score")
    at_tab(page, "nuggets_tab", "Labels of each run")
    labels, dirty = table(page, "support"), table(page, "n")
    assert scores.equals(found.rows[list(scores)])
    assert labels.equals(found.rows[list(labels)])
    assert dirty.equals(found.dirty)
    assert [note for note in found.notes if in_words(note, names_of(snapshot)) not in sentences(page)] == []


def test_an_answer_is_shown_with_what_was_said_of_each_nugget(page):
    at_tab(page, "nuggets_tab", "Nuggets in one answer")
    said = table(page, "importance")
    assert said["label"].value_counts().to_dict() == {
        "not_support": 4,
        "partial_support": 2,
        "contradiction": 1,
        "support": 1,
    }
    assert "how do plants turn light into sugar" in sentences(page)


def test_the_words_of_the_first_nugget_are_marked_in_the_answer(page):
    at_tab(page, "nuggets_tab", "Nuggets in one answer")
    # The first of the vital nuggets, best grades first, by text.
    assert "Marked for: Chlorophyll in the thylakoids absorbs light" in sentences(page)
    marked = [one.proto.body for one in page.main if one.type == "html" and "<mark" in one.proto.body]
    assert any(">chlorophyll</mark>" in text and ">light</mark>" in text for text in marked)


def test_a_run_without_an_answer_says_so(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, nuggets_run="gen-brief", nuggets_query="demo-08")
    assert "The run has no answer to this query." in sentences(test)


def test_what_the_order_owes_to_importance_is_that_of_the_analysis(demo_store, page):
    snapshot = Store(demo_store).snapshot("demo-nuggets")
    found = importance_effect(snapshot, choose_labelling(snapshot, Request(grader="nuggetizer")))
    at_tab(page, "nuggets_tab", "If other nuggets were vital")
    assert len(charts(page)) == 2
    assert table(page, "deviation").equals(found.variants)
    assert table(page, "first").to_dict("list") == to_read(found.rows, BY_IMPORTANCE)[0].to_dict("list")


def test_the_page_says_what_to_import_where_there_are_no_nuggets(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open")
    assert "Lexical match does not grade from 0 to 2" in sentences(test)
    assert [one.value.split()[1:3] for one in test.code] == [["import", "assignments"], ["import", "bank"]]
