"""Every way in which the store is written to: a small store, and what somebody does with it.

What is done twice has the same result: ids and times are given, so that a store can be compared with what it should be.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from exam_core.actions import exporting, importing, importing_runs, lexical, repairing, tagging, undoing
from exam_core.errors import StoreError, UsageError
from exam_core.jobs.ordering import Order
from exam_core.store import Store, commits, question_banks
from exam_core.store import store as stores
from exam_core.store.answer_cache import CachedAnswer
from exam_core.store.commits import ABANDONED_AFTER
from exam_core.store.files import content_name
from exam_core.store.grade_segments import parquet
from exam_core.store.sharing import export_duckdb
from tests.actions.action_files import bank, content, workbench, written
from tests.store.store_samples import change_record
from tests.wings import Record, added, added_to

GOLDEN = Path(__file__).parents[1] / "golden" / "store-1.0.0"
NAME, OUT = "store", "out"
"""The folder of the store, and of what is exported, in the folder of a trial."""
ABOUT = {"model": "m"}


def filled(folder: Path) -> None:
    """A store with a collection of everything, and the files that somebody imports."""
    store = Store(folder / NAME)
    graded = workbench(folder / "graded.jsonl", queries=1, docs=2)
    workbench(folder / "again" / "graded.jsonl", queries=1, docs=2, seed=1)
    importing.import_workbench(store, "c", graded)
    bank(folder / "bank.jsonl", {"q1": {"q1/1": "who?", "q1/2": "where?"}})
    importing.import_bank(store, "c", folder / "bank.jsonl", bank="b")
    run(folder / "old.run", "old")
    importing_runs.import_run(store, "c", folder / "old.run")
    for name in "xy":
        run(folder / f"{name}.run", name)
    export_duckdb([store.snapshot("c")], folder / "shared.duckdb")
    (folder / OUT).mkdir()


def run(path: Path, name: str) -> Path:
    """A run of one query."""
    return written(path, f"q1 Q0 q1-d0 1 2.5 {name}\nq1 Q0 q1-d1 2 1.5 {name}\n")


def empty(folder: Path) -> None:
    """No store at all, and a run."""
    run(folder / "x.run", "x")
    (folder / OUT).mkdir()


def only_shared(folder: Path) -> None:
    """An exported store, and none to import it into."""
    filled(folder)
    shutil.rmtree(folder / NAME)


def superseded(folder: Path) -> None:
    """A file that was imported in two editions, and an import of the day before yesterday that was killed."""
    filled(folder)
    importing.import_workbench(Store(folder / NAME), "c", folder / "again" / "graded.jsonl")
    collection = folder / NAME / "c"
    for rest in (collection / "rankings" / "0123456789abcdef.parquet", collection / "rankings" / ".rest.part"):
        written(rest, "what a killed import left")
        os.utime(rest, (0, time.time() - 2 * ABANDONED_AFTER))


def damaged(folder: Path) -> None:
    """A store in which a file is damaged that an import lists, and a record of what people say."""
    filled(folder)
    (path,) = (folder / NAME / "c" / "judgments").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    Store(folder / NAME).give_alias("c", "g", "Ours", "ann@here")
    change_record(folder / NAME, "alias", b"{}")


def stop_clocks() -> None:
    """Let it be one time for all that is written, in a process that does nothing else."""
    when = "2026-01-01T00:00:00+00:00"
    question_banks.now = stores.now = commits.now = lambda: when  # type: ignore[attr-defined]
    for stop in added("stop_clocks"):
        stop(when)


def export_run(store: Store, folder: Path) -> None:
    """A run is exported."""
    exporting.export_run(store.snapshot("c"), folder / OUT / "old.run", "old")


def repair(store: Store, folder: Path) -> None:
    """What is damaged is set aside; the command ends with an error where something can't be read."""
    del folder
    problems = [problem for one in repairing.repair(store).checked for problem in one.problems]
    if unreadable := [problem for problem in problems if problem.kind == "unreadable"]:
        raise StoreError(f"{unreadable[0].path}: {unreadable[0].problem}")


def undo(store: Store, folder: Path) -> None:
    """The newest edition of the file that was imported in two is undone."""
    del folder
    newest = max(one["id"] for one in store.snapshot("c").sources if one["file"] == "graded.jsonl")
    undoing.undo_import(store, "c", newest)


def _begun(begin: Callable[[Store], object], folder: Path) -> None:
    """A store with a collection of everything, and what somebody began."""
    filled(folder)
    begin(Store(folder / NAME))


def _recorded(record: Record, store: Store, folder: Path) -> None:
    """Somebody makes a record that a wing keeps."""
    del folder
    record.make(store, "told")


def answer(store: Store, folder: Path) -> None:
    """Answers of a model are kept."""
    del folder
    store.answers("m", ABOUT).add({bytes(16): CachedAnswer("5"), b"1" * 16: CachedAnswer("4")})


def answered(folder: Path) -> None:
    """A store with some answers of the model, one of which comes again."""
    filled(folder)
    more = {number.to_bytes(16, "big"): CachedAnswer("3" * 100) for number in range(1, 200)}
    Store(folder / NAME).answers("m", ABOUT).add(more | {b"1" * 16: CachedAnswer("4")})


def answered_by_version_1(folder: Path) -> None:
    """A store with answers of the model as version 1 wrote them."""
    filled(folder)
    rows = {"key": pa.array([bytes(16), b"2" * 16], pa.binary(16)), "text": ["5", "4"], "cut": [False, True]}
    content = parquet(pa.table(rows))
    path = Store(folder / NAME).answers("m", ABOUT).folder / f"{content_name(content)}.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


def of_version_1(folder: Path) -> None:
    """A store as version 1 wrote it, with everything, and the files that somebody imports."""
    filled(folder)
    shutil.rmtree(folder / NAME)
    shutil.copytree(GOLDEN, folder / NAME)
    (folder / NAME / "demo").rename(folder / NAME / "c")


@dataclass(frozen=True)
class WritePath:
    """A way in which the store is written to.

    Parameters
    ----------
    prepare : what there is before
    work : what somebody does
    """

    prepare: Callable[[Path], None]
    work: Callable[[Store, Path], object]


RECORDS = added_to({}, "RECORDS")
PATHS: dict[str, WritePath] = {
    "first import": WritePath(empty, lambda store, folder: importing_runs.import_run(store, "c", folder / "x.run")),
    "import of a graded file again": WritePath(
        filled, lambda store, folder: importing.import_workbench(store, "c", folder / "again" / "graded.jsonl")
    ),
    "import of two runs": WritePath(
        filled, lambda store, folder: importing_runs.import_run(store, "c", folder / "x.run", folder / "y.run")
    ),
    "import of an exported store": WritePath(
        only_shared, lambda store, folder: importing.import_shared(store, folder / "shared.duckdb")
    ),
    "grade": WritePath(filled, lambda store, _: lexical.grade_lexically(store, Order("c", bank="b"))),
    "answers of a model": WritePath(filled, answer),
    "more answers of a model": WritePath(answered, answer),
    "answers of version 1": WritePath(answered_by_version_1, answer),
    "alias": WritePath(filled, lambda store, _: store.give_alias("c", "g", "Ours", "ann@here")),
    "tags": WritePath(filled, lambda store, _: tagging.tag_run(store, "c", "old", ["baseline"])),
    "export of a run": WritePath(filled, export_run),
    "export of the store": WritePath(
        filled, lambda store, folder: exporting.export_store(store, folder / OUT / "all.duckdb", [])
    ),
    "undo": WritePath(superseded, undo),
    "clean-up": WritePath(superseded, lambda store, _: repairing.clean(store)),
    "repair": WritePath(damaged, repair),
    "first import into a store of version 1": WritePath(
        of_version_1, lambda store, folder: importing_runs.import_run(store, "c", folder / "x.run")
    ),
    **{kind: WritePath(filled, partial(_recorded, record)) for kind, record in RECORDS.items()},
    **{kind: WritePath(partial(_begun, begin), work) for kind, (begin, work) in added_to({}, "WRITE_PATHS").items()},
}


def shown(folder: Path) -> str:
    """All that readers find, as a text that can be compared; what is refused is said in its place."""
    store = Store(folder / NAME)
    found: dict[str, Any] = {name: _of(store, name) for name in store.collections()}
    found["answers"] = _asked(
        lambda: repr(sorted(store.answers("m", ABOUT).find([bytes(16), b"1" * 16, b"2" * 16]).items()))
    )
    for path in sorted((folder / OUT).iterdir()):
        if not path.name.startswith("."):
            found[path.name] = _asked(partial(_exported, path))
    return json.dumps(found, sort_keys=True)


def _of(store: Store, name: str) -> dict[str, Any]:
    snapshot = store.snapshot(name)
    parts: dict[str, Callable[[], Any]] = {
        "tables": lambda: content(snapshot),
        "names": lambda: [snapshot.aliases, snapshot.tags],
        **{kind: partial(record.read, store) for kind, record in RECORDS.items()},
    }
    return {part: _asked(ask) for part, ask in parts.items()}


def _asked(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (StoreError, UsageError) as error:
        return f"refused: {str(error).rpartition('/')[2]}"


def _exported(path: Path) -> Any:
    if path.suffix != ".duckdb":
        return path.read_text()
    store = Store(path)
    return {name: content(store.snapshot(name)) for name in store.collections()}
