"""Undo: an import is taken back whole, and what it had superseded or hidden counts again."""

import os
import time

import pytest

from exam_core.errors import StoreError, UsageError
from exam_core.store import Store
from exam_core.store.commits import ABANDONED_AFTER
from exam_core.store.summary import of_each

from .store_samples import ids_of, judgments, reading


def judged(relevance, *, doc_id="d1"):
    return reading(judgments(("q1", doc_id, relevance)))


def relevances(store):
    return [int(value) for value in store.snapshot("c").frame("judgments")["relevance"]]


def ids(store):
    return [str(source["id"]) for source in store.snapshot("c").sources]


@pytest.fixture
def replaced(store):
    """A store in which a second import superseded the first of its source."""
    store.commit("c", judged(1), source="s", file="first")
    store.commit("c", judged(2), source="s", file="second")
    return store


def test_an_undone_import_brings_back_what_it_superseded_and_says_so(replaced):
    before = replaced.snapshot("c")
    again = replaced.undo("c", ids(replaced)[0])
    assert again is not None
    assert again["file"] == "first"
    assert (relevances(replaced), relevances(Store(replaced.path))) == ([1], [1])
    assert replaced.snapshot("c").fingerprint != before.fingerprint
    assert list(before.frame("judgments")["relevance"]) == [2]  # a snapshot of before can still be read


def test_an_undo_of_an_import_that_superseded_nothing_brings_nothing_back(store):
    store.commit("c", judged(1), source="s")
    store.commit("c", judged(2, doc_id="d2"), source="t")
    assert (store.undo("c", ids(store)[1]), relevances(store)) == (None, [1])


def test_what_an_undone_owner_hid_shows_again(store):
    store.commit("c", judged(1), source="graded file")
    store.commit("c", judged(2), source="qrels", owns=[("judgments", "official")])
    store.undo("c", ids(store)[1])
    assert relevances(store) == [1]


def test_a_collection_without_imports_is_gone(store):
    store.commit("c", judged(1), source="s")
    store.undo("c", ids(store)[0])
    assert store.collections() == []


def test_what_was_undone_can_be_imported_again(replaced):
    replaced.undo("c", ids(replaced)[0])
    changed = replaced.commit("c", judged(2), source="s", file="second").changed
    assert (changed, relevances(replaced)) == (True, [2])


def test_what_is_superseded_undone_or_unknown_can_not_be_undone(replaced):
    second = ids(replaced)[0]
    first = next(name for name in ids_of(replaced.path, "import") if name != second)
    with pytest.raises(UsageError, match=f"no import {first} to undo"):
        replaced.undo("c", first)
    replaced.undo("c", second)
    with pytest.raises(UsageError, match="no import"):
        replaced.undo("c", second)
    with pytest.raises(UsageError, match="no collection d"):
        replaced.undo("d", "000001")


@pytest.mark.parametrize("name", ["../../elsewhere", "undone/000001", ""])
def test_an_id_leads_nowhere_else(replaced, name):
    with pytest.raises(UsageError):
        replaced.undo("c", name)


def test_an_earlier_import_whose_files_are_collected_does_not_come_back(replaced):
    folder = replaced.path / "c"
    long_ago = time.time() - 2 * ABANDONED_AFTER
    for path in folder.glob("judgments/*.parquet"):
        os.utime(path, (long_ago, long_ago))
    replaced.commit("c", judged(0, doc_id="d9"), source="other")
    second = next(str(source["id"]) for source in replaced.snapshot("c").sources if source["file"] == "second")
    assert (replaced.undo("c", second), relevances(replaced)) == (None, [0])


def test_a_single_file_store_is_not_changed(replaced, tmp_path):
    from exam_core.store.sharing import export_duckdb

    export_duckdb([replaced.snapshot("c")], tmp_path / "shared.duckdb")
    with pytest.raises(StoreError, match="read only"):
        Store(tmp_path / "shared.duckdb").undo("c", ids(replaced)[0])


def test_a_collection_that_is_undone_while_all_are_looked_at_hides_no_other(store):
    store.commit("a", judged(1), source="s")
    gone = store.commit("b", judged(1), source="s")

    def look(snapshot):
        if snapshot.collection == "a":
            store.undo("b", gone.import_id)
        return snapshot.collection

    assert of_each(store, look) == (["a"], [])
