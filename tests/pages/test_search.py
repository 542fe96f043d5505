"""The page Search: what it finds, and where its results lead."""

from dashboards import opened, sentences

from exam_core.store import Store
from exam_core.store.summary import search_each
from pages.shared.menu import PAGES

PAGE = "pages/search/search.py"


def links(test):
    return [(link.proto.page, link.proto.label) for link in test.get("page_link")]


def test_results_are_grouped_and_lead_to_their_pages(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, "from app.py", collection="demo", bank="open", search_text="skin")
    found = search_each(Store(store).snapshot("demo"), "skin", bank="open")
    assert [one.value for one in test.header] == ["Queries", "Questions", "Passages"]
    there = {"passages", "questions"} & {page.name for page in PAGES}
    assert {page for page, _ in links(test)} == there
    if "questions" in there:
        assert len(links(test)) == sum(len(rows) for rows in found.values())


def test_printed_runs_are_found_too(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, "from app.py", collection="car-y3-published", search_text="drmmtks")
    assert [label for _, label in links(test)] == [r"Bert\-DRMMTKS", r"ICT\-DRMMTKS"]


def test_what_is_nowhere_is_said_and_what_to_do(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", search_text="qwertyuiop <b>")
    assert "Nothing matches all these words" in sentences(test)
    assert "Type a run" in sentences(opened(PAGE, store, monkeypatch, collection="demo"))


def test_the_box_on_top_of_a_page_leads_to_what_is_found_and_is_empty_again(store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", store, monkeypatch, "from app.py", collection="demo")
    test.text_input(key="search_for").set_value(" bm25-title ").run()
    assert [page for page, _ in links(test)] == ["leaderboard"]
    assert test.text_input(key="search_text").value == "bm25-title"
