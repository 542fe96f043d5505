"""Versions of banks, gathered from their files, are what DuckDB reads in the files."""

import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pandas as pd
import pytest

from exam_core.actions import importing, undoing
from exam_core.errors import StoreError
from exam_core.store import Store, gathering
from exam_core.store import snapshot as snapshots
from exam_core.store.differing import with_version
from exam_core.store.gathering import FEW, GATHERED
from exam_core.store.question_banks import version_questions
from exam_core.store.summary import bank_version
from tests.actions.action_files import bank

VERSIONS = FEW + 1


def edit(store, number):
    """Make a version of the bank: a question that all have, and one of its own."""
    texts: dict[str, str | None] = {f"q1/{one}": f"what is {one}?" for one in dict.fromkeys((0, number))}
    with TemporaryDirectory() as folder:
        path = bank(Path(folder) / "bank.jsonl", {"q1": texts}, gold_answers=[None, None, ["yes", "no"]][number % 3])
        importing.import_bank(store, "c", path, bank="b")


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edited") / "store"
    for number in range(1, VERSIONS + 1):
        edit(Store(folder), number)
    return folder


@pytest.fixture
def store(edited, tmp_path):
    return Store(shutil.copytree(edited, tmp_path / "copy"))


@pytest.fixture
def opened(monkeypatch):
    """How many files of each table are read to be gathered."""
    found = Counter[str]()
    real = snapshots._rows

    def counting(table, paths, first):
        found[table.name] += len(paths)
        return real(table, paths, first)

    monkeypatch.setattr(snapshots, "_rows", counting)
    return found


def from_files(store, table):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "FEW", 10_000)
        snapshot = Store(store.path).snapshot("c")
        assert snapshot.gathered == {}
        return snapshot.frame(table)


@pytest.mark.parametrize("table", GATHERED)
def test_what_is_gathered_is_what_the_files_hold(store, table):
    snapshot = store.snapshot("c")
    assert list(snapshot.gathered) == ["gathered_0_questions", "gathered_1_versions"]
    pd.testing.assert_frame_equal(snapshot.frame(table), from_files(store, table))


def test_of_a_collection_that_has_changed_the_new_files_alone_are_read(store, opened):
    before = store.snapshot("c")
    assert bank_version(before, "b") == VERSIONS
    assert opened == {"questions": VERSIONS, "versions": VERSIONS}
    for number in (VERSIONS + 1, VERSIONS + 2):
        edit(Store(store.path), number)
        store.snapshot("c")  # nobody asks anything of the first of the two
    opened.clear()
    pd.testing.assert_frame_equal(store.snapshot("c").frame("questions"), from_files(store, "questions"))
    assert opened == {"questions": 2, "versions": 2}
    with store.snapshot("c").cursor() as cursor:
        places = cursor.execute("SELECT DISTINCT file_index FROM gathered_0_questions ORDER BY ALL").fetchall()
    assert places == [(place,) for place in range(VERSIONS + 2)]
    assert set(before.frame("questions")["version"]) == set(range(1, VERSIONS + 1))


def test_an_import_that_was_undone_is_not_gathered_any_more(store):
    bank_version(store.snapshot("c"), "b")
    newest = max(one["id"] for one in store.snapshot("c").sources)
    undoing.undo_import(store, "c", newest)
    assert bank_version(store.snapshot("c"), "b") == VERSIONS - 1
    pd.testing.assert_frame_equal(store.snapshot("c").frame("questions"), from_files(store, "questions"))


def test_a_version_that_is_only_tried_is_beside_those_that_are_gathered(store):
    row = {"question_id": "q1/new", "query_id": "q1", "question_text": "what is new?", "weight": 1.0, "enabled": True}
    there, ref = with_version(store.snapshot("c"), "b", VERSIONS, [row])
    assert list(version_questions(there, "b", ref.version or 0)["question_id"]) == ["q1/0", f"q1/{VERSIONS}", "q1/new"]
    assert bank_version(store.snapshot("c"), "b") == VERSIONS


def test_few_files_and_many_rows_are_read_where_they_are(store, monkeypatch):
    monkeypatch.setattr(snapshots, "MOST", 2 * VERSIONS - 2)  # the first version has one question, all others two
    assert list(store.snapshot("c").gathered) == ["gathered_0_versions"]


@pytest.mark.parametrize("when", ["before anybody asked", "afterwards"])
def test_a_damaged_file_is_named_and_other_tables_are_answered(store, when):
    if when == "afterwards":
        bank_version(store.snapshot("c"), "b")
    path = sorted((store.path / "c" / "questions").glob("*.parquet"))[7]
    path.write_bytes(path.read_bytes()[:-40])
    snapshot = store.snapshot("c") if when == "afterwards" else Store(store.path).snapshot("c")
    with pytest.raises(StoreError, match=rf"questions/{path.name} is damaged"):
        snapshot.frame("questions")
    assert len(snapshot.frame("grades")) == 0


def test_what_a_damaged_file_held_is_no_data_once_it_is_healed(store):
    first, second = sorted((store.path / "c" / "questions").glob("*.parquet"))[:2]
    sound = first.read_bytes()
    first.write_bytes(second.read_bytes())  # can be read, and says something else
    snapshot = Store(store.path).snapshot("c")
    assert len(snapshot.frame("grades")) == 0
    first.write_bytes(sound)
    pd.testing.assert_frame_equal(snapshot.frame("questions"), from_files(store, "questions"))


def test_what_can_not_be_read_for_another_reason_is_no_internal_error(store, monkeypatch):
    def fail(*_):
        raise duckdb.IOException('Cannot open file "questions/x.parquet": Too many open files')

    monkeypatch.setattr(gathering, "_refuse_damaged", fail)
    with pytest.raises(StoreError, match="Too many open files"):
        store.snapshot("c").frame("questions")
    assert len(store.snapshot("c").frame("grades")) == 0
