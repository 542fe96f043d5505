"""What a user sees of damage, of an interruption and of impossible numbers: one message, never a traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wings import rows_added

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def damaged(tmp_path, examboard):
    """A store with two collections, of which one has a torn file."""
    store = tmp_path / "store"
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\n")
    for name in ("sound", "torn"):
        examboard(store, "import", "run", tmp_path / "a.run", "--collection", name)
    (file,) = (store / "torn" / "rankings").iterdir()
    os.truncate(file, 40)
    return store


def test_list_goes_on_beside_a_damaged_collection_and_names_it(examboard, damaged):
    done = examboard(damaged, "list", "--format", "json")
    listed = [row["collection"] for row in json.loads(done.out)]
    assert (done.status, listed) == (1, ["sound"])
    assert (
        "is damaged. Import a.run again (undo its import first where that is refused), or restore it from a copy."
        in done.err
    )


def test_importing_the_source_again_heals_the_collection(examboard, damaged):
    # in a process of its own: this one remembers what the file held
    line = [sys.executable, "-m", "exam_core", "--store", damaged, "import", "run", damaged.parent / "a.run"]
    done = subprocess.run([*map(str, line), "--collection", "torn"], cwd=ROOT, capture_output=True, text=True)
    assert "(already there; 1 damaged or missing file restored)" in done.stdout
    assert examboard(damaged, "list").status == 0


def test_an_import_that_is_undone_heals_what_importing_it_again_can_t(examboard, damaged):
    (topics := damaged.parent / "topics.tsv").write_text("q1\tWhy?\n")
    examboard(damaged, "import", "topics", topics, "--collection", "sound")
    (file,) = (damaged / "sound" / "queries").iterdir()
    os.truncate(file, 40)
    assert "Import topics.tsv again (undo its import first where that is refused)" in examboard(damaged, "list").err
    assert examboard(damaged, "import", "undo", "--collection", "sound").status == 0
    assert examboard(damaged, "import", "topics", topics, "--collection", "sound").status == 0
    assert "topics.tsv" not in examboard(damaged, "check").out


@pytest.mark.parametrize("depth", ["2147483648", "9" * 30])
def test_a_depth_out_of_range_is_refused(examboard, demo_store, depth):
    done = examboard(demo_store, "leaderboard", "demo", "--depth", depth, "--measure", "AP", "--judgments", "official")
    assert (done.status, f"--depth {depth}: " in done.err) == (2, True)


@pytest.mark.parametrize("command", ["leaderboard demo --tau", "correlate demo --depth", *rows_added("NUMBERS")])
def test_a_number_of_thousands_of_digits_is_refused(examboard: Run, demo_store: Path, command: str) -> None:
    done = examboard(demo_store, *command.split(), "1" * 5000)
    assert (done.status, f"{command.split()[-1]} 111" in done.err) == (2, True)


@pytest.mark.parametrize("milliseconds", [200, 400, 700])
def test_an_interruption_while_the_command_loads_is_no_traceback(tmp_path, milliseconds):
    program = "from exam_core.__main__ import main; print('here', flush=True); main()"
    command = [sys.executable, "-c", program, "--store", str(tmp_path / "store"), "demo"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"  # Python itself has started, which writes a traceback until then
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    said = "".join(process.communicate())
    assert ("Traceback" in said, process.returncode in (-signal.SIGINT, 130, 1, 0)) == (False, True)


def test_nothing_is_loaded_before_a_command_can_be_interrupted_without_a_traceback():
    """Python itself writes one while it starts; what follows until `__main__` should take no time."""
    said = "import sys; known = set(sys.modules); import exam_core; print(*sorted(set(sys.modules) - known))"
    done = subprocess.run([sys.executable, "-S", "-c", said], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "exam_core\n"
