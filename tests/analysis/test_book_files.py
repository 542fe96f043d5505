"""Gradebooks on disk: equal to those read from the store, and never a damaged or another one."""

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest

from exam_core.actions.repairing import clean, rests
from exam_core.analysis import gradebook_files, values
from exam_core.analysis.choosing import choose
from exam_core.errors import StoreError
from exam_core.formats import Reading
from exam_core.measures import Measure
from exam_core.measures import sweep as sweeping
from exam_core.measures.sweep import by_runs, sweep
from exam_core.request import Request
from exam_core.store import Store, cells, derived_files
from tests.store.store_samples import drawn


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("books"))
    store.commit("c", drawn(queries=4, passages=200, runs=3, depth=30), source="s")
    store.commit("d", drawn(queries=4, passages=200, runs=3, depth=30, seed=1), source="s")
    return store.path


@pytest.fixture
def store(made, tmp_path, monkeypatch):
    """A copy of it, in which every gradebook is kept in a file."""
    shutil.copytree(made, tmp_path / "store")
    monkeypatch.setattr(derived_files, "LARGE", 0)
    yield Store(tmp_path / "store")
    values.clear_gradebooks()


def book_of(store, collection="c", measure="P@20"):
    """As a new process opens it."""
    values.clear_gradebooks()
    snapshot = Store(store.path).snapshot(collection)
    return values.gradebook(snapshot, choose(snapshot, Request(measure=measure, tau=3)).labelling)


def slow_twin(store, monkeypatch, collection="c", measure="P@20"):
    with monkeypatch.context() as patched:
        patched.setattr(derived_files, "LARGE", 1 << 60)
        return book_of(store, collection, measure)


def kept_files(store):
    return sorted(set(store.path.glob("*/gradebooks/*")) - set(store.path.glob("*/gradebooks/*.fact")))


def assert_equal(one, other):
    for field in fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            assert (left.dtype, left.shape) == (right.dtype, right.shape), field.name
            assert left.tobytes() == right.tobytes(), field.name
        else:
            assert left == right, field.name
    assert (one.words.levels, one.words.questions) == (other.words.levels, other.words.questions)
    assert one.words.bits.tobytes() == other.words.bits.tobytes()


def refuse(*_, **__):
    """Stand in for reading the store, where nothing should read it."""
    raise AssertionError("read from the store")


def test_a_gradebook_on_disk_equals_the_one_that_is_read_and_is_not_read_again(store, monkeypatch):
    expected = slow_twin(store, monkeypatch)
    assert kept_files(store) == []
    assert_equal(book_of(store), expected)
    monkeypatch.setattr(values, "_from_store", refuse)
    again = book_of(store)
    assert_equal(again, expected)
    assert not again.grades.flags.writeable
    assert_equal(gradebook_files.open_book(kept_files(store)[0]), expected)


def test_a_sweep_gives_memory_back_and_finds_the_same(store, monkeypatch):
    book = slow_twin(store, monkeypatch)
    measures = [Measure.parse(name) for name in ("Cover@20", "nDCG@20", "AP(judged_only=True)")]
    whole = sweep(book, measures, taus=(1, 4))
    monkeypatch.setattr(sweeping, "AT_ONCE", 3)
    monkeypatch.setattr(sweeping, "LET_GO", 2)
    mapped = book_of(store)
    assert sweep(mapped, measures, taus=(1, 4)).tobytes() == whole.tobytes()
    assert sweep(mapped.of_runs(np.arange(3) >= 1), measures, taus=(1, 4)).tobytes() == whole[:, :, 1:].tobytes()
    parts = [(runs, values.copy()) for runs, values in by_runs(mapped, measures, taus=(1, 4), most=0)]
    assert [runs for runs, _ in parts] == [slice(0, 1), slice(1, 2), slice(2, 3)]
    assert all(values.tobytes() == whole[:, :, runs].tobytes() for runs, values in parts)


def test_a_gradebook_that_is_made_in_parts_is_the_same(store, monkeypatch):
    bank = with_gaps(drawn(queries=6, passages=300, runs=3, depth=30))
    store.commit("e", bank, source="s")
    for at_once, measure in ((1, "P@20"), (900, "Cover@5")):
        monkeypatch.setattr(cells, "GRADES_AT_ONCE", at_once)
        assert_equal(book_of(store, "e", measure), slow_twin(store, monkeypatch, "e", measure))


def with_gaps(reading):
    """Queries without grades, of fewer questions, some of which are okay or to be avoided, and with grades above 5."""
    asked, graded, ranked = (reading.frames[name] for name in ("questions", "grades", "rankings"))
    names = sorted(set(asked["query_id"]))
    asked = asked[(asked["query_id"] <= names[2]) | ~asked["question_id"].str.endswith("/10")].reset_index(drop=True)
    asked.loc[asked.index % 7 == 3, "importance"] = "okay"
    asked.loc[asked["query_id"].eq(names[4]), "importance"] = "avoid"
    stays = ~graded["query_id"].isin([names[0], names[3]]) & graded["question_id"].isin(asked["question_id"])
    graded = graded[stays].reset_index(drop=True)
    graded.loc[graded.index[-1], "grade"] = 9
    ranked = ranked[(ranked["query_id"] > names[1]) | (ranked["rank"] < 9)].reset_index(drop=True)
    return Reading(reading.frames | {"questions": asked, "grades": graded, "rankings": ranked}, reading.graders)


def flip(path):
    """Turn a bit of the grades over, as a disk does: the file's time stays."""
    content, seen = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda path: os.truncate(path, path.stat().st_size // 2), id="cut"),
        pytest.param(lambda path: os.truncate(path, 10), id="ten bytes"),
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(flip, id="flipped"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes() + b"x"), id="longer"),
        pytest.param(lambda path: path.write_bytes(b"another file" * 100), id="foreign"),
        pytest.param(lambda path: (path.unlink(), path.mkdir()), id="a folder"),
    ],
)
def test_a_damaged_one_is_made_anew(store, monkeypatch, harm):
    expected = slow_twin(store, monkeypatch)
    book_of(store)
    harm(kept_files(store)[0])
    assert_equal(book_of(store), expected)


def test_one_of_another_collection_in_its_place_is_not_taken(store, monkeypatch):
    book_of(store, "c")
    book_of(store, "d")
    one, other = kept_files(store)
    kept = other.stat()
    shutil.copy(other, one)
    os.utime(one, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert_equal(book_of(store, "c"), slow_twin(store, monkeypatch, "c"))


def test_two_at_once_make_one(store, monkeypatch):
    read, times = values._from_store, []
    monkeypatch.setattr(values, "_from_store", lambda *asked, **how: (times.append(1), read(*asked, **how))[1])
    snapshots = [Store(store.path).snapshot("c") for _ in range(2)]
    labelling = choose(snapshots[0], Request(measure="P@20", tau=3)).labelling
    values.clear_gradebooks()
    for path in kept_files(store):
        path.unlink()
    times.clear()
    asked = (labelling.grading, labelling.depth, labelling.order)
    with ThreadPoolExecutor(2) as pool:
        actual = list(pool.map(lambda one: values._read.__wrapped__(one, *asked), snapshots))
    assert len(times) == 1
    assert_equal(*actual)


def test_a_new_import_makes_another_and_clean_removes_the_old_one(store, monkeypatch):
    book_of(store)
    (old,) = kept_files(store)
    left = old.with_name(".killed.0.part")
    left.write_bytes(b"half")
    store.commit("c", drawn(queries=4, passages=200, runs=3, depth=30, seed=5), source="s")
    assert_equal(book_of(store), slow_twin(store, monkeypatch))
    assert rests(store) == []
    for path in kept_files(store):
        os.utime(path, (0, 0))
    new = {path for path in kept_files(store) if path not in (old, left)}
    assert len(new) == 1
    assert {old, left} <= {rest.path for rest in clean(Store(store.path))}
    assert set(kept_files(store)) == new


def test_those_opened_longest_ago_go_where_there_is_no_room(store, monkeypatch):
    book_of(store, "c")
    (first,) = kept_files(store)
    monkeypatch.setattr(gradebook_files, "ROOM", first.stat().st_size + 100)
    book_of(store, "d")
    assert [path.parts[-3] for path in kept_files(store)] == ["d"]


def test_a_read_only_installation_opens_what_is_there_and_writes_nothing(store, monkeypatch):
    expected = book_of(store, "c")
    (path,) = kept_files(store)
    before = path.stat().st_ctime_ns
    monkeypatch.setenv("EXAMBOARD_READ_ONLY", "1")
    assert_equal(book_of(store, "c"), expected)
    assert path.stat().st_ctime_ns == before
    assert not book_of(store, "d").grades.flags.writeable  # it lies in a temporary file
    assert kept_files(store) == [path]


@pytest.mark.parametrize(("where", "call"), [(gradebook_files, "placing"), (gradebook_files, "alone")])
@pytest.mark.parametrize("room", [True, False])
def test_a_store_that_cannot_be_written_works_as_before(store, monkeypatch, where, call, room):
    expected = slow_twin(store, monkeypatch)
    if not room:
        monkeypatch.setattr(tempfile, "tempdir", "/dev/null")

    def full(*_):
        raise StoreError("no space left")

    monkeypatch.setattr(where, call, full)
    actual = book_of(store)
    assert_equal(actual, expected)
    assert (actual.grades.flags.writeable, kept_files(store)) == (not room, [])


def test_a_small_collection_writes_no_file(store, monkeypatch):
    monkeypatch.setattr(derived_files, "LARGE", 1 << 20)
    book_of(store)
    assert kept_files(store) == []
