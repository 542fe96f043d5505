"""The catalogue: records of people, jobs and imports, by transactions that are whole or not there."""

import shutil
import sqlite3
import threading
from contextlib import closing, suppress

import pytest

from exam_core.actions.repairing import repair
from exam_core.errors import StoreError
from exam_core.store import Store, sqlite_files
from exam_core.store.aliases_and_tags import ALIASES, GivenAlias, aliases_in
from exam_core.store.answer_cache import CachedAnswer
from exam_core.store.catalogue import Catalogue
from exam_core.store.checking import check
from tests.store.store_samples import grades, ids_of, passages, reading
from tests.wings import added_to


def alias(name):
    return GivenAlias(grader="g", alias=name, by="ann", created="")


@pytest.fixture
def catalogue(tmp_path):
    return Catalogue(tmp_path / "store")


def said(catalogue):
    return [one.alias for one in catalogue.read(ALIASES, "c").values.values()]


def test_what_is_said_later_counts_more_and_what_was_read_before_stays_as_it_was(catalogue):
    catalogue.add(ALIASES, alias("one"), "c")
    before = catalogue.read(ALIASES, "c")
    catalogue.add(ALIASES, alias("two"), "c")
    assert (said(catalogue), list(before.values)) == (["one", "two"], ["1"])
    assert aliases_in(catalogue.read(ALIASES, "c")) == {"g": "two"}
    catalogue.remove(ALIASES, "2", "c")
    catalogue.put(ALIASES, "1", alias("three"), "c")
    assert said(catalogue) == said(Catalogue(catalogue.place)) == ["three"]


def test_a_transaction_that_fails_leaves_nothing_and_its_parts_fail_alone(catalogue):
    catalogue.add(ALIASES, alias("one"), "c")
    with suppress(KeyError), catalogue.writing():
        catalogue.add(ALIASES, alias("two"), "c")
        assert said(catalogue) == ["one", "two"]
        raise KeyError
    assert said(catalogue) == ["one"]
    with catalogue.writing():
        with suppress(KeyError), catalogue.writing():
            catalogue.add(ALIASES, alias("of the part"), "c")
            raise KeyError
        catalogue.add(ALIASES, alias("two"), "c")
    assert said(catalogue) == said(Catalogue(catalogue.place)) == ["one", "two"]
    assert catalogue.damage([ALIASES]) == []


def test_readers_wait_for_nobody_who_decides(catalogue):
    catalogue.add(ALIASES, alias("one"), "c")
    with catalogue.writing():
        catalogue.add(ALIASES, alias("two"), "c")
        seen = []
        both = catalogue, Catalogue(catalogue.place)
        readers = [threading.Thread(target=lambda one=one: seen.append(said(one))) for one in both]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(10)
    assert seen == [["one"], ["one"]]


def test_a_lock_that_cannot_be_had_is_a_message_in_a_thread_and_between_processes(catalogue, monkeypatch):
    monkeypatch.setattr(sqlite_files, "PATIENCE", 0.05)
    errors = []

    def write(one):
        try:
            one.add(ALIASES, alias("two"), "c")
        except StoreError as error:
            errors.append(str(error))

    with catalogue.writing():
        for one in (catalogue, Catalogue(catalogue.place)):
            other = threading.Thread(target=write, args=(one,))
            other.start()
            other.join()
    assert [("could not be locked" in error, "no locks" in error) for error in errors] == [(True, True)] * 2


def test_a_store_of_a_later_version_is_refused_by_whoever_opens_it_and_whoever_had_it_open(store):
    store.commit("c", reading(passages("d1")), source="s")
    store.describe_grader("c", "g", {"mode": "m"})
    answers = store.answers("m", {})
    answers.add({b"1" * 16: CachedAnswer("4")})
    for path in (store.path / "catalogue.sqlite", answers.folder / "answers.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA user_version = 2")
    before = {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}
    with pytest.raises(StoreError, match=r"later version of Examboard .schema 2; this one knows 1"):
        Store(store.path).collections()
    for write in (
        *(lambda record=record: record.change(store) for record in added_to({}, "RECORDS").values()),
        lambda: store.add_grades("c", "g", grades(("q1", "d1", 3), grader="g")),
        lambda: store.commit("c", reading(passages("d2")), source="other"),
        lambda: answers.add({bytes(16): CachedAnswer("5")}),
    ):
        with pytest.raises(StoreError, match="later version"):
            write()
    assert {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("damage", [b"TABLE rec\xe5rds", b"TABXE records", b"TABLE recorfs"])
def test_a_catalogue_whose_schema_is_damaged_is_named_and_stays_where_it_is(store, damage):
    store.commit("c", reading(passages("d1")), source="a")
    path = store.path / "catalogue.sqlite"
    path.write_bytes(path.read_bytes().replace(b"TABLE records", damage, 1))
    before, there = path.read_bytes(), Store(store.path)
    with pytest.raises(StoreError, match=r"catalogue\.sqlite: is damaged"):
        there.snapshot("c")
    (problem,) = (problem for one in check(there) for problem in one.problems)
    assert (problem.path, problem.kind, repair(there).moved) == (path, "catalogue", [])
    assert path.read_bytes() == before


def test_a_record_whose_checksum_is_no_number_any_more_is_set_aside_alone(store):
    store.commit("c", reading(passages("d1")), source="a")
    store.give_alias("c", "g", "Ours", "ann@here")
    with closing(sqlite3.connect(store.path / "catalogue.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE records SET checksum = x'' WHERE kind = 'alias'")
    there = Store(store.path)
    assert "alias 1 of c is damaged" in there.snapshot("c").unread[0]
    assert (len(repair(there).moved), [one.problems for one in check(there)]) == (1, [[]])


def test_a_collection_is_gone_with_its_folder_and_one_of_its_name_begins_anew(store):
    store.commit("c", reading(passages("d1")), source="a")
    store.give_alias("c", "g", "Ours", "ann@here")
    shutil.rmtree(store.path / "c")
    assert store.collections() == []
    store.commit("c", reading(passages("d2")), source="b")
    assert store.snapshot("c").frame("passages")["doc_id"].tolist() == ["d2"]
    assert (len(ids_of(store.path, "import")), ids_of(store.path, "alias")) == (1, [])


def test_a_catalogue_on_a_disk_that_cannot_be_written_is_read(store):
    store.commit("c", reading(passages("d1")), source="a")
    path = store.path / "catalogue.sqlite"
    uri = f"file:{path}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM records")
    path.chmod(0o444)
    assert Store(store.path).collections() == ["c"]
