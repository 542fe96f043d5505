"""Names with odd characters: of collections, graders, runs, and of the store's own folder."""

from pathlib import Path

import pytest

from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.store.files import folder_name, plain_name
from exam_core.store.sharing import export_duckdb

from .store_samples import grades, passages, rankings, reading

ODD = [
    *["google/flan-t5", "..", ".", ".hidden", " two words ", "Übung 漢字 ☃", "it's", 'so-"called"', "%2E%2F", "a\\b"],
    *["*?[a]{b,c}", "doc_id=5", "'); DROP TABLE grades; --"],
    *["main", "temp", "shared", "imports"],  # names of DuckDB's, of the export and of a folder of the store
]
odd_names = pytest.mark.parametrize("name", ODD)
ROWS = [("q1", "d1", 3), ("q1", "d2", 1)]


@odd_names
def test_a_collection_may_have_any_name_stays_inside_the_store_and_can_be_shared(store, tmp_path, name):
    store.commit(name, reading(passages("d1", "d2")), source="a")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    export_duckdb([store.snapshot(name)], tmp_path / "shared.duckdb")
    for one in (store, Store(tmp_path / "shared.duckdb")):
        found = {known: one.snapshot(known).frame("passages")["doc_id"].tolist() for known in one.collections()}
        assert found == {name: ["d1", "d2"]}


@odd_names
def test_a_folder_name_gives_the_name_back_and_is_one_visible_step_of_a_path(name):
    folder = folder_name(name)
    assert (plain_name(folder), len(Path(folder).parts)) == (name, 1)
    assert not folder.startswith(".")
    assert "/" not in folder


@odd_names
def test_a_grader_may_have_any_name(store, name):
    store.commit("c", reading(grades(*ROWS, grader=name)), source="a")
    found = store.snapshot("c").query("SELECT grader_id, doc_id, grade FROM grades WHERE grader_id = ?", [name])
    assert found.to_numpy().tolist() == [[name, "d1", 3], [name, "d2", 1]]


@pytest.mark.parametrize("name", ["a" * 1000, "問" * 60], ids=["1,000 letters", "60 letters of 9 bytes"])
def test_a_grader_whose_name_no_folder_can_have_is_told_so(store, name):
    with pytest.raises(UsageError, match=rf"The name {name[:40]}\.\.\. is too long.*\nGive a shorter one"):
        store.commit("c", reading(grades(*ROWS, grader=name)), source="a")


@odd_names
def test_a_run_may_have_any_name_and_an_owner(store, name):
    store.commit("c", reading(rankings(("q1", "d1", 1.0), run=name)), source="a")
    store.commit("c", reading(rankings(("q1", "d2", 1.0), run=name)), source="b", owns=[("rankings", name)])
    found = store.snapshot("c").frame("rankings")
    assert found[["run_id", "doc_id"]].to_numpy().tolist() == [[name, "d2"]]


@pytest.mark.parametrize("name", ["it's", "a [b]*", "query_id=7", "grade=5", ".hidden", "ü ☃"])
def test_the_store_may_lie_in_a_folder_of_any_name(tmp_path, name):
    store = Store(tmp_path / name / "store")
    store.commit("c", reading(grades(*ROWS)), source="a")
    found = store.snapshot("c").frame("grades")[["query_id", "doc_id", "grade"]]
    assert found.to_numpy().tolist() == [list(row) for row in ROWS]


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a\tb", "a\0b", "\udcff", "x" * 101, "漢" * 100], ids=ascii)
def test_what_is_no_name_is_refused(store, name):
    with pytest.raises(UsageError, match=r"name"):
        store.commit(name, reading(passages("d1")), source="a")


def test_a_name_of_100_characters_is_taken(store):
    store.commit("x" * 100, reading(passages("d1")), source="a")
    assert store.collections() == ["x" * 100]
