"""Files of the store: whole or not there, and collected when nobody lists them."""

import os
import time

import pytest

from exam_core.store import Store
from exam_core.store.commits import ABANDONED_AFTER
from exam_core.store.files import write_once
from exam_core.store.manifests import IMPORT

from .store_samples import grades, ids_of, passages, reading, shown


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def age(path, seconds):
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


LEFT_BEHIND = {
    "a half written table": "passages/.0123456789abcdef.parquet.1a2b3c4d.part",
    "a table of no import": "passages/0123456789abcdef.parquet",
    "grades of no import": "grades/g/import-0123456789abcdef.parquet",
    "grades that were made here and never counted": "grades/g/000001-0123456789abcdef.parquet",
}


@pytest.fixture(params=LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def left_behind(request, store):
    """A file that a killed import left in a collection that holds something."""
    store.commit("c", reading(passages("d1"), grades(("q1", "d1", 3))), source="first")
    path = store.path / "c" / str(request.param)
    path.write_bytes(b"PAR1 and then the power went")
    return path


def test_what_a_killed_import_left_is_invisible(store, left_behind):
    before = Store(store.path).snapshot("c")
    content = shown(before)
    left_behind.unlink()
    after = Store(store.path).snapshot("c")
    assert (content, before.fingerprint) == (shown(after), after.fingerprint)


def test_a_folder_without_an_import_is_no_collection(store):
    write_once(store.path / "killed" / "passages" / "0123456789abcdef.parquet", b"PAR1")
    assert store.collections() == []


@pytest.mark.parametrize(("seconds", "kept"), [(60, False), (-60, True)], ids=["older than a day", "younger"])
def test_an_abandoned_file_older_than_a_day_is_collected(store, left_behind, seconds, kept):
    age(left_behind, ABANDONED_AFTER + seconds)
    store.commit("c", reading(passages("d2")), source="second")
    assert left_behind.exists() == kept


def test_listed_files_are_kept_however_old_they_are(store):
    store.commit("c", reading(passages("d1"), grades(("q1", "d1", 3))), source="first")
    for path in store.path.rglob("*.*"):
        age(path, 100 * ABANDONED_AFTER)
    before = files(store.path)
    store.commit("c", reading(passages("d2")), source="second")
    assert before <= files(store.path)


def test_what_was_graded_here_or_is_not_the_stores_is_no_abandoned_import(store):
    store.commit("c", reading(passages("d1")), source="first")
    store.add_grades("c", "g", grades(("q1", "d1", 3)))
    write_once(store.path / "c" / "notes.txt", b"mine")
    paths = [age(path, 2 * ABANDONED_AFTER) for path in (store.path / "c").rglob("*.*")]
    store.commit("c", reading(passages("d2")), source="second")
    assert [path for path in paths if not path.exists()] == []


def test_a_file_left_behind_long_ago_is_safe_once_an_import_uses_it_again(store):
    store.commit("c", reading(passages("d1")), source="first")
    (left,) = (store.path / "c" / "passages").iterdir()
    store.catalogue.remove(IMPORT, *ids_of(store.path, "import"), "c")
    age(left, 2 * ABANDONED_AFTER)
    store.commit("c", reading(passages("d1")), source="first")
    # Another process that read the catalogue before this import committed would collect it by age.
    assert time.time() - left.stat().st_mtime < 60
