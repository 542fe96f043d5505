"""Makes the golden store of today's version: a store with a bit of everything, and what it answers.

    python -m tests.golden.making tests/golden

A golden store is made once, when a version is released, and never changed: later versions have to open it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Collection
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import exam_core
from exam_core.actions import demo, importing, importing_runs, tagging, undoing
from exam_core.store import Store
from tests.wings import added, rows_added

ASKED = (
    "list",
    "leaderboard demo --bank open --measure Cover@20 --tau 3",
    "leaderboard demo --bank open@1 --measure nDCG@10 --grader person",
    "agreement demo --bank open --tau 3",
    "leaderboard demo --measure nDCG@10 --grader model --tau 2.5",
    "tags demo",
    "alias demo",
    "import list --collection demo",
    "check",
    *rows_added("GOLDEN_ASKED"),
)
"""Commands whose answers are kept, as JSON."""


def make(folder: Path) -> None:
    """Make a store in a folder, with all that people do."""
    store = Store(folder)
    with tempfile.TemporaryDirectory() as made:
        demo.build_demo(Store(made))
        shutil.copytree(made, folder)
    for name in store.collections():
        if name != "demo":
            shutil.rmtree(store.folder(name))
    for name, kept in (("kept", True), ("undone", False)):
        run = folder.parent / f"{name}.run"
        run.write_text(f"demo-01 Q0 skin-01 1 2.5 {name}\ndemo-01 Q0 skin-02 2 1.5 {name}\n", encoding="utf-8")
        importing_runs.import_run(store, "demo", run)
        if not kept:
            undoing.undo_import(store, "demo")
    labels = folder.parent / "person.qrels"
    labels.write_text("demo-01 0 skin-01 3\ndemo-01 0 skin-02 1\ndemo-02 0 plate-01 2\n", encoding="utf-8")
    importing.import_labels(store, "demo", labels, grader="person")
    decimals = folder.parent / "model.qrels"
    decimals.write_text("demo-01 0 skin-01 2.5\ndemo-01 0 skin-02 1.25\ndemo-02 0 plate-01 3\n", encoding="utf-8")
    importing.import_labels(store, "demo", decimals, grader="model")
    tagging.tag_run(store, "demo", "any-word", ["simple", "llm"])
    tagging.name_grader(store, "demo", "person", "A person")
    for make in added("golden_made"):
        make(store)


def answers(folder: Path, asked: Collection[str] = ASKED) -> dict[str, Any]:
    """What a store answers to those of `ASKED` that it was asked, and what has no command."""
    said = {line: _rounded(json.loads(_said(folder, line))) for line in ASKED if line in asked}
    for answers_of in added("golden_answers"):
        said |= answers_of(Store(folder))
    return said


def _said(folder: Path, line: str) -> str:
    from exam_core.cli.main import main

    before, sys.argv = sys.argv, ["examboard", "--store", str(folder), *line.split(), "--format", "json"]
    try:
        with redirect_stdout(StringIO()) as said:
            main()
    except SystemExit as stop:
        if stop.code:
            raise
    finally:
        sys.argv = before
    return said.getvalue()


def _rounded(value: Any) -> Any:
    """Numbers to nine digits: the last ones are the libraries'."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return [_rounded(one) for one in value] if isinstance(value, list) else value


if __name__ == "__main__":
    os.environ["LOGNAME"], socket.gethostname = "ann", lambda: "desk"
    target = Path(sys.argv[1]) / f"store-{exam_core.__version__}"
    with tempfile.TemporaryDirectory() as aside:
        store_folder = Path(aside) / "store"
        make(store_folder)
        shutil.rmtree(store_folder / ".locks", ignore_errors=True)
        shutil.copytree(store_folder, target)
    lines = [f"{json.dumps(line)}: {json.dumps(said, ensure_ascii=False)}" for line, said in answers(target).items()]
    Path(f"{target}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
