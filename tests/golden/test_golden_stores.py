"""Stores of earlier versions open, answer what they answered, and can be worked with."""

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

from exam_core.actions import importing_runs, undoing
from exam_core.store import Store
from tests.golden.making import answers
from tests.wings import added, rows_added

STORES = sorted(path for path in Path(__file__).parent.glob("store-*") if path.is_dir())


@pytest.fixture(params=STORES, ids=[path.name for path in STORES])
def golden(request, tmp_path):
    """A copy of a golden store, beside what it answered."""
    shutil.copy(f"{request.param}.json", tmp_path / "answers.json")
    return shutil.copytree(request.param, tmp_path / "store")


def test_a_golden_store_answers_what_it_answered(golden):
    expected = json.loads((golden.parent / "answers.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(answers(golden, expected)))
    # Without a wing nobody asks for what it answers, nor counts it.
    for one, name in product(expected["list"], {"reviews"} - set(rows_added("COUNTED"))):
        del one[name]
    assert {line for line in expected.keys() & found.keys() if not _holds(found[line], expected[line])} == set()
    assert found.keys() <= expected.keys()


def _holds(found, expected):
    """Whether an answer is as it was; objects may say more than they did."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and _holds(found[name], expected[name]) for name in expected
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(_holds, found, expected))
    return bool(found == expected)


def test_a_golden_store_is_whole_and_can_be_worked_with(golden, tmp_path):
    run = tmp_path / "later.run"
    run.write_text("demo-01 Q0 skin-01 1 2.5 later\n", encoding="utf-8")
    store = Store(golden)
    importing_runs.import_run(store, "demo", run)
    assert "later" in set(store.snapshot("demo").frame("rankings")["run_id"])
    undoing.undo_import(store, "demo")
    for work in added("golden_worked"):
        work(store)


def test_a_store_that_says_no_layout_is_one_of_before_there_were_any(golden):
    (golden / ".layout").unlink()
    assert Store(golden).collections() == ["demo"]
