"""kill -9 in the middle of an import: the store is as it was before, or as it is after."""

import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core.actions.importing import import_workbench
from exam_core.store import Store

from .action_files import content, workbench

KILLS, KILLS_WHILE_WRITING, FIRST_KILLS = 3, 6, 3
SOME = 4
"""Kills of `make test`."""
SIZE = {"queries": 12, "docs": 40, "questions": 10}


@dataclass
class Files:
    """Two versions of one file, the store that holds the old one, and what each looks like."""

    old: Path
    new: Path
    store: Path
    before: object
    after: object
    seconds: float


@pytest.fixture(scope="module")
def files(importers, tmp_path_factory):
    """The two versions; they differ in every table and have one name, so that one source replaces itself."""
    folder = tmp_path_factory.mktemp("versions")
    old = workbench(folder / "old" / "graded.jsonl", seed=1, **SIZE)
    new = workbench(folder / "new" / "graded.jsonl", seed=2, **SIZE)
    store, other = Store(folder / "store"), Store(folder / "other")
    import_workbench(store, "c", old)
    importer = importers()
    begun = time.perf_counter()
    importer.tell(other.path, "c", new)
    importer.wait_for("done")
    seconds = time.perf_counter() - begun
    return Files(old, new, store.path, content(store.snapshot("c")), content(other.snapshot("c")), seconds)


def entries(folder):
    return sum(1 for _ in folder.rglob("*.*")) if folder.exists() else 0


def wait_until_it_writes(folder, seconds):
    """Wait until the first file of an import appears, as long as an import can take."""
    before, end = entries(folder), time.perf_counter() + 20 * seconds
    while entries(folder) == before and time.perf_counter() < end:
        time.sleep(0.0005)


@pytest.mark.parametrize("number", [*range(SOME), *thoroughly(*range(SOME, KILLS + KILLS_WHILE_WRITING))])
def test_a_killed_import_leaves_the_old_or_the_new_content(files, importers, tmp_path, number):
    dice = random.Random(number)
    shutil.copytree(files.store, tmp_path / "store")
    importer = importers()
    importer.tell(tmp_path / "store", "c", files.new)
    if number < KILLS:
        time.sleep(dice.uniform(0, 1.8 * files.seconds))
    else:
        wait_until_it_writes(tmp_path / "store", files.seconds)
        time.sleep(dice.uniform(0, 0.08 * files.seconds))
    importer.kill()
    assert content(Store(tmp_path / "store").snapshot("c")) in (files.before, files.after)


@pytest.fixture(scope="module")
def battered(files, importers, tmp_path_factory):
    """One store in which the very first import is killed again and again, then left to finish.

    What is left behind piles up. Holds what each kill left, then the content after the last import.
    """
    path, dice, found = tmp_path_factory.mktemp("battered") / "store", random.Random(99), list[object]()
    for _ in range(FIRST_KILLS):
        importer = importers()
        importer.tell(path, "c", files.new)
        time.sleep(dice.uniform(0.5, 1.3) * files.seconds)
        importer.kill()
        store = Store(path)
        found.append(content(store.snapshot("c")) if store.collections() else None)
    importer = importers()
    importer.tell(path, "c", files.new)
    importer.wait_for("done")
    return [*found, content(Store(path).snapshot("c"))]


def test_killed_first_imports_leave_no_collection_or_a_whole_one_and_the_next_one_succeeds(files, battered):
    *killed, last = battered
    assert last == files.after
    assert all(found in (None, files.after) for found in killed)
