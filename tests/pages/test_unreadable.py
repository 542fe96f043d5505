"""Pages of a grader of which nothing could be read: they say so first, and show no figure in its place."""

import pytest
from dashboards import opened, sentences

from tests.analysis.unread import unread
from tests.wings import rows_added

PAGES = ("home", "leaderboard", "outliers", *rows_added("UNREADABLE_PAGES"))
SAID = "Unreadable: all 18 answers of rater on the passages of these rankings (100.0%)."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("unread")
    unread(path, readable=False)
    return path


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_first_that_nothing_can_be_read(page, folder, monkeypatch):
    test = opened(page, folder, monkeypatch, collection="world", modes="rater", depth="20")
    said = [element.proto.body for element in test.get("html")]
    first = next(text for text in said if "world" in text or SAID in text)
    assert SAID in first
    assert "nan" not in sentences(test).lower().split()
