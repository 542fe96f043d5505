"""Many at one store for a while: readers, an importer, graders and editors, each a process; what goes wrong is counted.

python -m tests.soak [--seconds N] [--readers N]

Readers are threads of one process with one store, as users of a dashboard are. Each asks for a leaderboard of a
collection that nobody changes, whose numbers must stay, and for what is in the one that all others write to: what was
there once must be there from then on. The readers' memory and open files are noted each five seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exam_core import actions
from exam_core.banks.question import Question
from exam_core.bench.users import resident
from exam_core.store import Store
from exam_core.store.checking import check
from tests.actions.action_files import bank, content, workbench
from tests.faults.writing import run

ROOT = Path(__file__).parents[1]
WRITERS = {"importer": 1, "grader": 2, "editor": 2}
NOTED = 5.0
"""Seconds between two looks at memory and open files."""
PAUSE = 0.2
"""Seconds that a reader or writer rests."""


def prepare(folder: Path) -> None:
    """A collection that nobody changes, and one that everybody writes to."""
    store = Store(folder / "store")
    actions.import_workbench(store, "still", workbench(folder / "still.jsonl", queries=4, docs=10, questions=5))
    actions.import_workbench(store, "busy", workbench(folder / "busy.jsonl"))
    bank(folder / "bank.jsonl", {"q1": {f"q1/{number}": f"who is {number}?" for number in range(3)}})
    actions.import_bank(store, "busy", folder / "bank.jsonl", bank="b")


def importing(folder: Path, number: int) -> None:
    """One run after the other."""
    path = run(folder / f"run-{number}.run", f"run{number}")
    actions.import_run(Store(folder / "store"), "busy", path)
    path.unlink()


def grading(folder: Path, number: int) -> None:
    """What is missing of the newest version of a bank."""
    del number
    actions.grade_lexically(Store(folder / "store"), "busy", "b")


def editing(folder: Path, number: int) -> None:
    """One question after the other; edits of others are kept."""
    store = Store(folder / "store")
    draft = actions.begin_draft(store, "busy", "b", 1)
    added = Question("q1", f"q1/{os.getpid()}-{number}", f"what is {number} of {os.getpid()}?")
    old = actions.open_draft(store, "busy", draft).bank
    actions.drop_draft(store, "busy", draft)
    actions.edit_bank(store, "busy", "b", old | {added.key: added}, base=1, reason="one more")


ROLES: dict[str, Callable[[Path, int], None]] = {"importer": importing, "grader": grading, "editor": editing}


def writing(role: str, folder: Path, seconds: float) -> None:
    """Do one thing again and again, and say how often, and what went wrong."""
    until, done, errors = time.monotonic() + seconds, 0, list[str]()
    while time.monotonic() < until:
        try:
            ROLES[role](folder, done)
            done += 1
        except Exception as error:  # every error is told at the end
            errors.append(f"{type(error).__name__}: {error}")
        time.sleep(PAUSE)
    print(json.dumps({"role": role, "done": done, "errors": errors}))


class Readers:
    """Users that look at one store, and what they saw."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder / "store")
        self._still = content(self._store.snapshot("still"))
        self.looks, self.wrong, self.errors = 0, list[str](), list[str]()

    def look(self, until: float) -> None:
        """Look again and again, until that time."""
        seen = set[str]()
        while time.monotonic() < until:
            try:
                if content(self._store.snapshot("still")) != self._still:
                    self.wrong.append("the collection that nobody changes has other numbers")
                now = self._there()
                if missing := seen - now:
                    self.wrong.append(f"gone: {sorted(missing)[:5]}")
                seen = now
                self.looks += 1
            except Exception as error:  # every error is told at the end
                self.errors.append(f"{type(error).__name__}: {error}")
            time.sleep(PAUSE)

    def _there(self) -> set[str]:
        snapshot = self._store.snapshot("busy")
        runs = snapshot.query("SELECT DISTINCT run_id FROM rankings")["run_id"]
        questions = snapshot.query("SELECT DISTINCT question_id FROM questions")["question_id"]
        grades = snapshot.query("SELECT DISTINCT grader_id || question_id || doc_id AS one FROM grades")["one"]
        return {*runs, *questions, *grades}


def soak(folder: Path, seconds: float, readers: int) -> dict[str, Any]:
    """Let everybody work for a while; returns what was done, what went wrong, and memory and open files over time."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.soak", "--role", role, "--folder", str(folder), "--seconds", str(seconds)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for role, count in WRITERS.items()
        for _ in range(count)
    ]
    seen, until, noted = Readers(folder), time.monotonic() + seconds, list[dict[str, float]]()
    threads = [threading.Thread(target=seen.look, args=(until,)) for _ in range(readers)]
    for thread in threads:
        thread.start()
    while time.monotonic() < until:
        files = len(list(Path("/proc/self/fd").iterdir()))
        noted.append({"mib": round(resident(os.getpid()), 1), "files": files})
        time.sleep(NOTED)
    for thread in threads:
        thread.join()
    told = [json.loads(one.communicate()[0]) for one in writers]
    store = Store(folder / "store")
    return {
        "seconds": seconds,
        "readers": readers,
        "looks": seen.looks,
        "wrong": seen.wrong,
        "errors": seen.errors,
        "writers": told,
        "noted": noted,
        "problems": [problem.told for one in check(store) for problem in one.problems],
        "left": [str(path) for path in store.path.rglob(".*.part")],
    }


def main() -> None:
    """Soak, and print what came of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--role", choices=ROLES, help="be one of the writers")
    parser.add_argument("--folder", type=Path, help="where the writers work")
    options = parser.parse_args()
    if options.role:
        writing(options.role, options.folder, options.seconds)
        return
    with tempfile.TemporaryDirectory() as made:
        prepare(Path(made))
        print(json.dumps(soak(Path(made), options.seconds, options.readers), indent=1))


if __name__ == "__main__":
    main()
