"""Files that come again: what is said and stored is the same whether they are read a second time or not."""

import re
from pathlib import Path
from typing import Any

import pytest

from exam_core.actions.import_plans import ImportPlan, PlannedFile, import_files
from exam_core.actions.importing import import_qrels, import_workbench
from exam_core.actions.importing_runs import import_run
from exam_core.actions.undoing import undo_import
from exam_core.errors import ExamboardError
from exam_core.store import Store
from exam_core.store.store import stored_again

from .action_files import written

RUN = "q1 Q0 d1 1 9 a\nq1 Q0 d2 2 8 a\nq2 Q0 d1 1 9 a\nq2 Q0 d1 1 9 a\n"
"""A line comes twice, which a note says."""
GRADED = '["q1",[{"paragraph_id":"d1","text":"T","paragraph_data":{"judgments":[],"rankings":[]}}]]\n'


def of(verb, file, text, **options):
    """A step that imports a file."""
    return lambda store, folder: verb(store, "c", written(folder / file, text), **options)


def in_one_go(store, folder):
    return import_files(store, ImportPlan("c", [PlannedFile(written(folder / "a.run", RUN), "run")]))


def two(store, folder):
    paths = [written(folder / "a.run", RUN), written(folder / "b.run", RUN.replace(" a\n", " b\n"))]
    return import_run(store, "c", *paths)


def damaged(store, _folder):
    for path in store.path.rglob("rankings/*.parquet"):
        path.write_bytes(b"PAR1")


def undone(store, _folder):
    undo_import(store, "c")


mine = of(import_run, "a.run", RUN)
other = of(import_run, "b.run", RUN.replace("9 a", "7 a"), replace=True)
judged = of(import_qrels, "qrels", "q1 0 d1 1\nq3 0 d1 1\n", name="nist")
graded = of(import_workbench, "graded.jsonl", GRADED)
CASES = {
    "at once": ([mine, mine], True),
    "in one go": ([in_one_go, mine, in_one_go], True),
    "others between": ([mine, judged, mine, judged], True),
    "two files": ([two, two], True),
    "one of two undone": ([two, undone, two], False),
    "under another name": ([mine, of(import_run, "a.run", RUN, name="b")], False),
    "replaced between": ([mine, other, mine], False),
    "replaced and undone": ([mine, other, undone, mine], True),
    "undone": ([judged, mine, undone, mine], False),
    "damaged": ([mine, damaged, mine], False),
    "changed": ([mine, of(import_run, "a.run", RUN.replace("8", "7"), replace=True), mine], False),
    "graded": ([graded, mine, graded], True),
    "graded and contradicted": ([graded, of(import_workbench, "other", GRADED.replace('"T"', '"U"')), graded], True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_comes_again_is_told_as_if_it_were_read(tmp_path, monkeypatch, name):
    steps, is_known = CASES[name]
    read = {True: 0, False: 0}

    def told(folder: Path) -> list[Any]:
        folder.mkdir()
        store, said = Store(folder / "store"), list[Any]()
        for step in steps:
            try:
                done = step(store, folder)
                said.append(done and (done.changed, done.healed, done.counts, done.notes, done.replaced))
            except ExamboardError as error:
                said.append(str(error))
        told = re.sub(r"at 20[^ ]*|[0-9]{6}-[0-9a-f]{16}|/\S*/", "", repr(said))
        return [told, store.snapshot("c").frame("rankings").astype(object).to_csv()]

    def seen(*arguments: Any) -> Any:
        found = STORED(*arguments)
        read[not found] += 1
        return found

    monkeypatch.setattr("exam_core.store.store.stored_again", seen)
    quickly = told(tmp_path / "quickly")
    assert bool(read[False]) == is_known
    monkeypatch.setattr("exam_core.store.store.stored_again", lambda *_: [])
    assert quickly == told(tmp_path / "slowly")


STORED = stored_again
