"""A copy that is made while others write holds all that was acknowledged before it, and nothing half-written."""

import re
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

from exam_core.store import Store
from exam_core.store.checking import UNFINISHED, check
from tests.store.store_samples import rankings, reading, shown

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "look-after-a-store.md"


def commands():
    """The commands that the document gives, for a store in the folder `store`."""
    (block,) = re.findall(r"```sh\n(cd store\n.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return [line for line in block.splitlines() if line.startswith("tar")]


def write(store, number):
    """Import a run and tag it."""
    found = reading(rankings(("q1", "d1", number), run=f"run{number}"))
    store.commit("c", found, source=f"run:{number}", owns=[("rankings", f"run{number}")])
    store.give_tags("c", {f"run{number}": ("new",)}, "ann@here")


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
    folder, copy = tmp_path / "store", tmp_path / "copy"
    for number in range(3):
        write(Store(folder), number)
    with written_to(folder, first=3):
        for command in commands():
            subprocess.run(command, shell=True, cwd=folder, capture_output=True, check=False)
    copy.mkdir()
    subprocess.run(["tar", "-xf", "../store.tar"], cwd=copy, check=True)
    there = Store(copy)
    problems = [problem for one in check(there) for problem in one.problems if problem.problem != UNFINISHED]
    assert problems == []
    rows = shown(there.snapshot("c"))["rankings"]
    assert {row[0] for row in rows} >= {"run0", "run1", "run2"}
    assert there.snapshot("c").tags
