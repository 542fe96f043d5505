"""The control bar displays what a page uses, and nothing else."""

from types import SimpleNamespace

import pytest
from dashboards import charts, opened, sentences

from pages.shared import frame
from pages.shared.controls import KEYS
from pages.shared.menu import PAGES
from tests.wings import rows_added

BAR = {page.path: page.of_grades.split() for page in PAGES}

OTHERS = {
    "bank": "manual",
    "measure": "P",
    "tau": "2",
    "reference": "qrels:nDCG@10",
    "without": "bm25",
    "runs": "-bm25",
    "depth": "5",
    "label_rank": "2",
    "relevant_from": "1",
    "scores": "raw",
    "order": "first series",
}
"""Other choices than the demo's first ones."""


def hidden(test):
    """The keys of the widgets that the page's rules hide."""
    rules = [one.proto.body for one in test.get("html") if one.proto.body.startswith("<style>.st-key-")]
    keys = "".join(rules).partition(" { display: none")[0].removeprefix("<style>").split(", ")
    return {key.removeprefix(".st-key-") for key in keys}


def shown(test):
    """All that a page shows beside the bar."""
    tables = [table.value.to_json() for table in test.dataframe]
    return sentences(test), tables, [chart.figure for chart in charts(test)]


def test_a_page_says_what_of_the_bar_it_uses_by_names_that_the_bar_has():
    assert {name for page in PAGES for name in f"{page.of_grades} {page.of_print}".split()} <= set(KEYS)


@pytest.mark.parametrize(
    ("page", "query", "there", "gone"),
    [
        ("pages/leaderboard/leaderboard.py", {"collection": "demo"}, ("tau", "modes", "more"), ()),
        ("pages/agreement/agreement.py", {"collection": "demo"}, ("tau", "measure"), ("scores", "reference")),
        ("pages/passages/passages.py", {"collection": "dl19-published"}, (), ("tau", "columns", "more")),
        *rows_added("BARS"),
    ],
)
def test_the_bar_hides_what_a_page_does_not_use(page, query, there, gone, demo_store, monkeypatch):
    keys = hidden(opened(page, demo_store, monkeypatch, **query))
    assert (keys & set(there), set(gone) - keys) == (set(), set())


def test_a_new_visitor_waits_once_so_that_a_browser_meets_the_first_component_alone(demo_store, monkeypatch):
    waited = []
    monkeypatch.setattr(frame, "time", SimpleNamespace(sleep=waited.append))
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, "from app.py", collection="demo")
    assert charts(test.run())
    assert waited == [frame.MEETING]


def test_more_counts_what_is_not_at_its_default(demo_store, monkeypatch):
    query = {"collection": "demo", "depth": "5", "scores": "raw", "relevant_from": "1"}
    assert '" (1 changed)"' in sentences(opened("pages/outliers/outliers.py", demo_store, monkeypatch, **query))


def test_reset_sets_all_but_the_collection_back(demo_store, monkeypatch):
    query = {"collection": "demo", **OTHERS}
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, **query)
    test.button(key="reset").click().run()
    plain = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo")
    assert shown(test) == shown(plain)
    assert "reset" not in [button.key for button in test.button]


@pytest.mark.thorough
@pytest.mark.parametrize("page", sorted(set(BAR) - {"pages/home/home.py"}))
def test_what_a_page_does_not_display_of_the_bar_changes_nothing_on_it(page, demo_store, monkeypatch):
    first = {"collection": "demo"}
    unused = {name: value for name, value in OTHERS.items() if name not in BAR[page]}
    assert shown(opened(page, demo_store, monkeypatch, **first | unused)) == shown(
        opened(page, demo_store, monkeypatch, **first)
    )
