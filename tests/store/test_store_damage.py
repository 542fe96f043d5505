"""A damaged file is named, does not touch other collections, and is healed by importing its source again."""

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from exam_core.store.summary import summary

from .store_samples import grades, judgments, passages, reading

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


STRAY = {
    "a copy": "Kopie.json",
    "a numbered copy": "000001-0123456789abcdef (copy).json",
    "a note": "README",
    "an editor's": "000001-0123456789abcdef.json~",
}


@pytest.mark.parametrize("name", STRAY.values(), ids=STRAY)
def test_a_stray_file_among_the_imports_is_left_alone(store, name):
    store.commit("c", CONTENT, source="a")
    (store.path / "c" / "imports" / name).write_text("{}")
    store.commit("c", reading(passages("d3")), source="b")
    assert len(Store(store.path).snapshot("c").frame("passages")) == 3


def test_a_manifest_with_a_flipped_bit_is_named(store):
    store.commit("c", CONTENT, source="a")
    (path,) = (store.path / "c" / "imports").iterdir()
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"\xe1"'))
    with pytest.raises(StoreError, match=rf"{path.name}: this record of an import is damaged"):
        Store(store.path).snapshot("c")


def test_a_collection_whose_folder_may_not_be_read_is_still_there(store, monkeypatch):
    store.commit("c", CONTENT, source="a")
    iterdir = Path.iterdir

    def refused(path):
        if path.name == "imports":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    # Tests may run as root, whom no file mode keeps out.
    monkeypatch.setattr(Path, "iterdir", refused)
    assert store.collections() == ["c"]
    with pytest.raises(StoreError, match=r"imports: can't be read \(Permission denied\)"):
        store.snapshot("c")


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


def test_an_export_that_fails_leaves_nothing_behind(store, tmp_path):
    store.commit("c", CONTENT, source="a")
    file_of(store, "judgments").write_bytes(b"PAR1")
    (tmp_path / "out").mkdir()
    with pytest.raises(StoreError):
        export_duckdb([Store(store.path).snapshot("c")], tmp_path / "out" / "shared.duckdb")
    assert list((tmp_path / "out").iterdir()) == []
