"""What is damaged in a store, or could not be read, is said on the page, which shows all else."""

from __future__ import annotations

import pytest
from dashboards import opened, sentences
from thoroughly import thoroughly

from exam_core.store import Store
from tests.analysis.unread import unread
from tests.store.store_samples import change_record
from tests.wings import rows_added

PAGE = "pages/leaderboard/leaderboard.py"


def said(test):
    """All that the page says, without Markdown's escapes."""
    return sentences(test).replace("\\", "")


def test_a_record_that_is_left_out_is_said_on_every_page_until_it_is_back(own_store, monkeypatch):
    own = Store(own_store)
    own.give_alias("demo", "lexical.pourpre-idf", "Words", "ann@here")
    before = change_record(own.path, "alias", b"\xff", is_sound=True)
    test = opened(PAGE, own.path, monkeypatch, collection="demo")
    assert len(test.dataframe) > 0
    assert "catalogue.sqlite: alias 1 of demo can't be read" in said(test)
    change_record(own.path, "alias", before, is_sound=True)
    test.run()
    assert ("alias 1 of demo" in said(test), "Words" in said(test)) == (False, True)


PAGES = ("leaderboard", *thoroughly("home", "outliers", *rows_added("UNREADABLE_PAGES")))
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
