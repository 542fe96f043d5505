"""A copy that is made while others write holds all that was acknowledged before it, and nothing half-written."""

import itertools
import threading
from contextlib import contextmanager

import pytest

from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.store.answer_cache import CachedAnswer
from exam_core.store.checking import check
from exam_core.store.sharing import copy_store
from tests.store.store_samples import rankings, reading, shown

ABOUT = {"model": "m"}


def key(number):
    return number.to_bytes(16, "big")


def write(store, number):
    """Import a run, tag it, and keep an answer of a model."""
    found = reading(rankings(("q1", "d1", number), run=f"run{number}"))
    store.commit("c", found, source=f"run:{number}", owns=[("rankings", f"run{number}")])
    store.give_tags("c", {f"run{number}": ("new",)}, "ann@here")
    store.answers("m", ABOUT).add({key(number): CachedAnswer(str(number))})


@contextmanager
def written_to(folder, first):
    """Somebody writes to the store as long as this lasts."""
    ended = threading.Event()

    def go_on():
        store, number = Store(folder), first
        while not ended.is_set():
            write(store, number)
            number += 1

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()


def test_a_copy_made_while_others_write_is_sound_and_holds_what_was_acknowledged(tmp_path):
    folder, copy = tmp_path / "store", tmp_path / "copies" / "one"
    for number in range(3):
        write(Store(folder), number)
    with written_to(folder, first=3):
        copy_store(Store(folder), copy)
    there = Store(copy)
    assert [problem for one in check(there) for problem in one.problems] == []
    runs = shown(there.snapshot("c"))["rankings"]
    assert {row[0] for row in runs} >= {"run0", "run1", "run2"}
    answers = there.answers("m", ABOUT).find([key(number) for number in range(1000)])
    assert list(answers)[:3] == [key(0), key(1), key(2)]
    assert all(answer.text == str(number) for number, answer in zip(itertools.count(), answers.values(), strict=False))
    assert not list(copy.parent.glob(".*"))


def test_a_copy_is_made_in_a_new_folder_outside_of_the_store(tmp_path):
    store = Store(tmp_path / "store")
    write(store, 0)
    (tmp_path / "full").mkdir()
    for folder in (tmp_path / "full", tmp_path / "store" / "copy"):
        with pytest.raises(UsageError, match="does not exist yet, outside of the store"):
            copy_store(store, folder)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
