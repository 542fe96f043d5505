"""Undo: an import is taken back whole, and what it had superseded or hidden counts again."""

import os
import time
from pathlib import Path

import pytest

from exam_core.errors import StoreError, UsageError
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.commits import ABANDONED_AFTER
from exam_core.tables import JUDGMENTS


def judged(relevance: int, *, doc_id: str = "d1") -> Reading:
    columns = {"qrels_id": ["official"], "query_id": ["q1"], "doc_id": [doc_id], "relevance": [relevance]}
    return Reading({"judgments": JUDGMENTS.frame(columns)})


def relevances(store: Store) -> list[int]:
    return [int(value) for value in store.snapshot("c").frame("judgments")["relevance"]]


def ids(store: Store) -> list[str]:
    return [str(source["id"]) for source in store.snapshot("c").sources]


@pytest.fixture
def replaced(store: Store) -> Store:
    """A store in which a second import superseded the first of its source."""
    store.commit("c", judged(1), source="s", file="first")
    store.commit("c", judged(2), source="s", file="second")
    return store


def test_an_undone_import_brings_back_what_it_superseded(replaced: Store) -> None:
    replaced.undo("c", ids(replaced)[0])
    assert relevances(replaced) == [1]


def test_an_undo_says_what_counts_again(replaced: Store) -> None:
    again = replaced.undo("c", ids(replaced)[0])
    assert again is not None
    assert again["file"] == "first"


def test_an_undo_of_an_import_that_superseded_nothing_brings_nothing_back(store: Store) -> None:
    store.commit("c", judged(1), source="s")
    store.commit("c", judged(2, doc_id="d2"), source="t")
    assert (store.undo("c", ids(store)[1]), relevances(store)) == (None, [1])


def test_what_an_undone_owner_hid_shows_again(store: Store) -> None:
    store.commit("c", judged(1), source="graded file")
    store.commit("c", judged(2), source="qrels", owns=[("judgments", "official")])
    store.undo("c", ids(store)[1])
    assert relevances(store) == [1]


def test_a_collection_without_imports_is_gone(store: Store) -> None:
    store.commit("c", judged(1), source="s")
    store.undo("c", ids(store)[0])
    assert store.collections() == []


def test_an_undo_changes_the_fingerprint(replaced: Store) -> None:
    before = replaced.snapshot("c").fingerprint
    replaced.undo("c", ids(replaced)[0])
    assert replaced.snapshot("c").fingerprint != before


def test_another_store_object_sees_the_undo(replaced: Store) -> None:
    replaced.undo("c", ids(replaced)[0])
    assert relevances(Store(replaced.path)) == [1]


def test_a_snapshot_of_before_the_undo_can_still_be_read(replaced: Store) -> None:
    before = replaced.snapshot("c")
    replaced.undo("c", ids(replaced)[0])
    assert list(before.frame("judgments")["relevance"]) == [2]


def test_what_was_undone_can_be_imported_again(replaced: Store) -> None:
    replaced.undo("c", ids(replaced)[0])
    changed = replaced.commit("c", judged(2), source="s", file="second").changed
    assert (changed, relevances(replaced)) == (True, [2])


def test_an_import_is_undone_once(replaced: Store) -> None:
    name = ids(replaced)[0]
    replaced.undo("c", name)
    with pytest.raises(UsageError, match="no import"):
        replaced.undo("c", name)


def test_a_superseded_import_cannot_be_undone(store: Store) -> None:
    store.commit("c", judged(1), source="s")
    (first,) = ids(store)
    store.commit("c", judged(2), source="s")
    with pytest.raises(UsageError, match=f"no import {first} to undo"):
        store.undo("c", first)


def test_an_unknown_collection_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="no collection c"):
        store.undo("c", "000001")


@pytest.mark.parametrize("name", ["../../elsewhere", "undone/000001", ""])
def test_an_id_leads_nowhere_else(replaced: Store, name: str) -> None:
    with pytest.raises(UsageError):
        replaced.undo("c", name)


def test_an_earlier_import_whose_files_are_collected_does_not_come_back(replaced: Store) -> None:
    folder = replaced.path / "c"
    long_ago = time.time() - 2 * ABANDONED_AFTER
    for path in folder.glob("judgments/*.parquet"):
        os.utime(path, (long_ago, long_ago))
    replaced.commit("c", judged(0, doc_id="d9"), source="other")
    second = next(str(source["id"]) for source in replaced.snapshot("c").sources if source["file"] == "second")
    assert (replaced.undo("c", second), relevances(replaced)) == (None, [0])


def test_a_single_file_store_is_not_changed(replaced: Store, tmp_path: Path) -> None:
    from exam_core.store.sharing import export_duckdb

    export_duckdb([replaced.snapshot("c")], tmp_path / "shared.duckdb")
    with pytest.raises(StoreError, match="read only"):
        Store(tmp_path / "shared.duckdb").undo("c", ids(replaced)[0])
