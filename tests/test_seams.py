"""Texts and bytes that enter in memory are taken or refused: what was found once, and some new inputs."""

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from exam_core.errors import ExamboardError
from tests.wings import added

ROOT = Path(__file__).parents[1]
DIGITS, HALF, DEEP = "1" * 5000, "a\udc80", b'{"a":' * 100_000
FOUND = [
    ("measure", f"P@{DIGITS}"),
    ("bank", f"b@{DIGITS}"),
    ("grader or ensemble", f"majority(t5.Sun@{DIGITS},t5.Thomas)"),
    ("reference", f"qrels:P@20:relevant_from={DIGITS}"),
    ("depth", DIGITS),
    ("version of a link", "²"),
    ("version of a link", DIGITS),
    ("name of a reviewer", HALF),
    ("text on a page", "R&amp;D"),
    ("text in a file or terminal", "a\r=1+1"),
    *((name, DEEP) for name in ("file of version 1", "layout", "description of a grader", "record of a job")),
    *(one for found in added("found_at_seams") for one in found(HALF, DEEP)),
]


@pytest.fixture(scope="module")
def seams():
    """The seams by their names; they import most of what there is, so not every worker should."""
    loaded = import_module("benchmarks.seams")
    yield loaded.all_seams()
    loaded.collection.cache_clear()
    shutil.rmtree(loaded.place())
    loaded.place.cache_clear()


@pytest.mark.parametrize(("name", "given"), FOUND, ids=[f"{name} {place}" for place, (name, _) in enumerate(FOUND)])
def test_what_was_found_once_is_taken_or_refused(seams, name, given):
    seam = seams[name]
    with suppress(ExamboardError, *seam.documented):
        seam.call(given)


def test_every_seam_takes_one_of_the_inputs_that_are_damaged(seams):
    def takes(seam, given):
        try:
            seam.call(given)
        except (ExamboardError, *seam.documented):
            return False
        return True

    assert [name for name, seam in seams.items() if not any(takes(seam, one) for one in seam.seeds)] == []


@pytest.mark.thorough  # CI does the same for longer (make fuzz)
def test_some_damaged_inputs_find_nothing(tmp_path):
    command = [sys.executable, "benchmarks/fuzz_memory.py", "--inputs", "30", "--seed", "1", "--folder", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    assert json.loads(done.stdout)["memory"]["inputs"] > 500
