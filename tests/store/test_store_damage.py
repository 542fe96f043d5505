"""A damaged file is named, does not touch other collections, and is healed by importing its source again."""

import os
import shutil

import duckdb
import pytest

from exam_core.actions.repairing import repair
from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.store.sharing import export_duckdb
from exam_core.store.summary import summary

from .store_samples import change_record, grades, judgments, lose_record, passages, reading

CONTENT = reading(passages("d1", "d2"), grades(("q1", "d1", 3), ("q1", "d2", 1)), judgments(("q1", "d1", 2)))


def file_of(store, table):
    return next((store.path / "c" / table).rglob("*.parquet"))


DAMAGES = {
    "torn": lambda store: os.truncate(file_of(store, "judgments"), 100),
    "another table's": lambda store: shutil.copy(file_of(store, "passages"), file_of(store, "judgments")),
    "gone": lambda store: file_of(store, "judgments").unlink(),
    "empty": lambda store: file_of(store, "judgments").write_bytes(b""),
    "text": lambda store: file_of(store, "judgments").write_text("q1 0 d1 2\n"),
}


@pytest.fixture(params=DAMAGES.values(), ids=DAMAGES)
def damaged(request, store):
    """A store with a sound collection, and one of whose files one is damaged."""
    store.commit("c", CONTENT, source="workbench:c.jsonl", file="c.jsonl")
    store.commit("sound", CONTENT, source="workbench:c.jsonl", file="c.jsonl")
    request.param(store)
    return Store(store.path)


def test_a_damaged_file_is_named_beside_sound_collections_until_its_source_is_imported_again(damaged):
    with pytest.raises(StoreError, match=r"judgments/\w+\.parquet is (damaged|gone)\. Import c\.jsonl again"):
        summary(damaged.snapshot("c"))
    assert (damaged.collections(), summary(damaged.snapshot("sound"))["judgments"]) == (["c", "sound"], 1)
    done = damaged.commit("c", CONTENT, source="workbench:c.jsonl", file="c.jsonl")
    assert (done.changed, done.healed, summary(damaged.snapshot("c"))["judgments"]) == (False, 1, 1)


def test_two_damaged_files_do_not_keep_each_other_from_being_healed(store):
    parts = {name: reading(grades(("q1", name, 3))) for name in ("d1", "d2")}
    for name, part in parts.items():
        store.commit("c", part, source=name)
    for path in store.path.rglob("*.parquet"):
        path.write_bytes(b"PAR1")
    notes = [store.commit("c", part, source=name).notes for name, part in parts.items()]
    assert (len(notes[0]), notes[1], len(store.snapshot("c").frame("grades"))) == (1, [], 2)


def test_an_import_whose_record_has_a_flipped_bit_is_named_and_the_other_collections_can_be_read(store):
    store.commit("c", CONTENT, source="a")
    store.commit("sound", CONTENT, source="a")
    whole = change_record(store.path, "import", b"")
    change_record(store.path, "import", whole.replace(b'"a"', b'"c"', 1))
    there = Store(store.path)
    assert there.collections() == ["c", "sound"]
    with pytest.raises(StoreError, match=r"sqlite: import 000001-\w+ of c is damaged\.\n.* import its source"):
        there.snapshot("c")
    assert len(there.snapshot("sound").frame("passages")) == 2


def test_an_import_whose_record_is_lost_is_never_passed_over_unseen(store):
    store.commit("c", CONTENT, source="a")
    store.commit("c", reading(passages("d3")), source="b")
    lose_record(store.path, "import")
    with pytest.raises(StoreError, match="records of the kind import of c are not those that were written"):
        Store(store.path).snapshot("c")
    (problem,) = (problem for one in check(Store(store.path)) for problem in one.problems)
    assert problem.record
    repair(Store(store.path))
    assert len(Store(store.path).snapshot("c").frame("passages")) == 1


def exported(store, path, *statements):
    store.commit("c", CONTENT, source="a")
    export_duckdb([store.snapshot("c")], path)
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


WRONG = {
    "a type": "ALTER TABLE c.judgments ALTER relevance TYPE VARCHAR",
    "a null": "UPDATE c.judgments SET query_id = NULL",
    "a column": "ALTER TABLE c.judgments DROP relevance",
    "what is said of it": "UPDATE c._about SET graders = '{'",
}


@pytest.mark.parametrize("statement", WRONG.values(), ids=WRONG)
def test_an_exported_file_that_was_changed_is_one_message(store, tmp_path, statement):
    path = exported(store, tmp_path / "shared.duckdb", statement)
    with pytest.raises(StoreError, match=r"shared\.duckdb: collection c is not as this version of Examboard exports"):
        Store(path).snapshot("c")
