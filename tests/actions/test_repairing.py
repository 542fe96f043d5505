"""Cleaning and setting aside while somebody imports: nothing that an import counts on is taken from it."""

import os
from pathlib import Path
from threading import Thread

import pytest

from exam_core.actions import repairing
from exam_core.actions.importing import import_workbench
from exam_core.errors import StoreError
from exam_core.store import Store
from exam_core.store.checking import check
from exam_core.store.manifests import IMPORT

from .action_files import content, workbench


def problems(store):
    return [problem for one in check(store) for problem in one.problems]


def test_what_an_import_takes_up_again_is_not_cleaned_up_once_it_counts(store, tmp_path, monkeypatch):
    file, store_of_another = workbench(tmp_path / "killed.jsonl"), Store(store.path)
    import_workbench(store, "c", workbench(tmp_path / "first.jsonl", first=8))
    done = import_workbench(store, "c", file)
    store.catalogue.remove(IMPORT, done.import_ids[0], "c")  # as if it had been killed just before
    for path in (store.path / "c").rglob("*.parquet"):
        os.utime(path, (0, 0))
    ended, unlink = [], Path.unlink

    def again():
        try:
            ended.append(import_workbench(store_of_another, "c", file))
        except StoreError as error:
            ended.append(error)

    def meanwhile(path, **options):
        if path.suffix == ".parquet" and not ended:
            other = Thread(target=again)
            other.start()
            other.join(0.5)
            ended.append(other)
        unlink(path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", meanwhile)
        repairing.clean(store)
    next(one for one in ended if isinstance(one, Thread)).join()
    assert problems(Store(store.path)) == []


@pytest.mark.parametrize("by", ["import", "repair"])
def test_what_somebody_else_made_whole_since_it_was_found_damaged_is_left_alone(store, tmp_path, monkeypatch, by):
    file = workbench(tmp_path / "graded.jsonl")
    import_workbench(store, "c", file)
    next((store.path / "c" / "judgments").iterdir()).write_bytes(b"PAR1")
    wholes = []

    def found(*asked):
        seen = check(*asked)
        if not wholes:
            wholes.append("")
            other = Store(store.path)
            assert import_workbench(other, "c", file).healed if by == "import" else repairing.repair(other).moved
            wholes[0] = content(other.snapshot("c"))
        return seen

    monkeypatch.setattr(repairing, "check", found)
    assert repairing.repair(store).moved == []
    assert ([content(Store(store.path).snapshot("c"))], problems(store)) == (wholes, [])
