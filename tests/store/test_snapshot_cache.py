"""Results of a snapshot are kept until its collection changes."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier, Thread
from time import sleep

import numpy as np
import pytest

from exam_core.store import Store
from exam_core.store import store as store_module
from exam_core.store.snapshot import MORE, OUTLIVING, cached_by_snapshot, validity_of
from tests.store.store_samples import judgments, reading


@dataclass(eq=False)
class Result:
    """What can be looked for after nobody holds it."""

    collection: str
    of: str | int


@pytest.fixture
def two(store):
    """A store of two collections, of which nothing is kept yet: another test's are equal to them."""
    about.clear()
    few.clear()
    for name in ("c", "d"):
        store.commit(name, reading(judgments(("q1", "d1", 1))), source="first")
    return store


@cached_by_snapshot(8)
def about(snapshot, word=""):
    return Result(snapshot.collection, word)


@cached_by_snapshot(2)
def few(snapshot, number):
    return Result(snapshot.collection, number)


def change(store, collection):
    store.commit(collection, reading(judgments(("q1", "d2", 1), qrels="more")), source="second")
    store.snapshot(collection)


def test_a_result_is_computed_once_for_equal_snapshots(two):
    ours, theirs = two.snapshot("c"), Store(two.path).snapshot("c")
    assert ours is not theirs
    assert about(ours) is about(theirs)
    assert about(ours, word="a") is about(theirs, word="a") is not about(ours)


def test_of_stores_that_come_and_go_a_few_are_held(two):
    snapshots = []
    for number in range(12):
        snapshot = Store(two.path).snapshot("c").without([f"r{number}"])
        about(snapshot, str(number))
        snapshots.append(weakref.ref(snapshot))
    del snapshot
    held = [one for one in snapshots if one()]
    assert held == snapshots[-OUTLIVING - 1 :]


def test_nothing_is_held_of_a_collection_that_has_changed(two):
    before = two.snapshot("c")
    hidden = before.without(["a run"])
    gone = [weakref.ref(one) for one in (before, hidden, about(before), about(hidden))]
    other = about(two.snapshot("d"))
    del before, hidden
    change(two, "c")
    assert [one() for one in gone] == [None] * 4
    assert about(two.snapshot("d")) is other


def test_what_was_begun_before_the_change_is_not_kept(two):
    before = two.snapshot("c")
    change(two, "c")
    late = weakref.ref(about(before))
    assert late() is None


def test_nothing_is_held_of_a_store_that_was_closed(two):
    gone = weakref.ref(about(two.snapshot("c")))
    two.close()
    assert gone() is None


def test_the_least_recently_used_result_goes(two):
    snapshot = two.snapshot("c")
    first, second = few(snapshot, 1), few(snapshot, 2)
    assert few(snapshot, 1) is first
    few(snapshot, 3)
    assert (few(snapshot, 1) is first, few(snapshot, 2) is second) == (True, False)


def test_threads_that_ask_and_change_at_once_are_told_the_same(two):
    together, told = Barrier(4), []

    def visitor():
        together.wait()
        told.extend(few(two.snapshot("d"), number % 3).of == number % 3 for number in range(300))

    def writer():
        together.wait()
        for number in range(5):
            two.commit("c", reading(judgments(("q1", f"d{number}", 1), qrels=f"r{number}")), source=str(number))
            about(two.snapshot("c"))

    threads = [*(Thread(target=visitor) for _ in range(3)), Thread(target=writer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [True] * 900


def test_a_result_of_no_snapshot_has_no_end_and_is_refused():
    with pytest.raises(TypeError, match="snapshot"):
        validity_of("dl19", 3)


def test_of_those_who_see_a_change_at_once_one_makes_a_snapshot_so_that_none_is_kept_for_good(two, monkeypatch):
    read, made = store_module.read_imports, []
    monkeypatch.setattr(store_module, "read_imports", lambda *those: sleep(0.05) or made.append(those) or read(*those))
    for number in range(3):
        two.commit("c", reading(judgments(("q1", f"e{number}", 1), qrels="more")), source="second")
        with ThreadPoolExecutor(8) as people:
            found = list(people.map(two.snapshot, ["c"] * 8))
        assert (len(found), len({id(one) for one in found}), len(made)) == (8, 1, number + 1)


def test_more_than_the_usual_are_kept_while_they_are_small(two):
    made = []

    @cached_by_snapshot(2, room=10_000)
    def arrays(snapshot, number, size):
        del snapshot
        made.append((number, size))
        return np.zeros(size, np.int8)

    snapshot = two.snapshot("c")
    for _ in range(2):
        for number in range(2 * MORE):
            arrays(snapshot, number, 600)
    assert len(made) == 2 * MORE  # each once
    arrays(snapshot, -1, 9_000)
    arrays(snapshot, 3 * MORE, 600)
    arrays(snapshot, 0, 600)
    assert len(made) == 2 * MORE + 3  # the oldest made room
