"""A process that dies before one step after the other of an import into a store, and says what each death left.

Called with a scenario, an empty folder, and how far the steps that are tried lie apart. At one step at the store's
files after the other, a copy of the store is made, and a child imports into it and ends at that step as `kill -9` would
end it. (What SQLite does to its file is not among them: `tests/faults` cuts that off.) Says as a JSON object how many
steps there are, after which of them the store was neither as before nor as after, and whether the import changes
anything. DuckDB's threads must not be there when a child is forked, so all work is done in children.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from exam_core.actions.importing import import_shared, import_workbench
from exam_core.actions.importing_runs import import_run
from exam_core.store import Store
from exam_core.store.sharing import export_duckdb
from tests.actions.action_files import content, workbench
from tests.wings import added_to

STEPS = {"open", "sqlite3.connect", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.utime", "os.link"}
DIED, NEVER = 9, -1


def prepare_runs(folder: Path) -> None:
    """Two files with two runs each, where one of the runs is in the store already."""
    for name in "ab":
        lines = [f"q1 Q0 d{place} {place} {9 - place} {name}{run}\n" for run in (1, 2) for place in (1, 2)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "old.run").write_text("q1 Q0 d7 1 1.5 a1\n")
    import_run(Store(folder / "store"), "c", folder / "old.run")


def prepare_shared(folder: Path) -> None:
    """An exported file of two collections, one of which holds something already."""
    source = Store(folder / "source")
    for name, first in (("c", 1), ("d", 5)):
        import_workbench(source, name, workbench(folder / f"{name}.jsonl", first=first))
    export_duckdb([source.snapshot(name) for name in ("c", "d")], folder / "shared.duckdb")
    import_workbench(Store(folder / "store"), "c", workbench(folder / "mine.jsonl", first=9))


SCENARIOS: dict[str, tuple[Callable[[Path], None], Callable[[Store, Path], object]]] = {
    "runs": (
        prepare_runs,
        lambda store, folder: import_run(store, "c", folder / "a.run", folder / "b.run", replace=True),
    ),
    "shared": (prepare_shared, lambda store, folder: import_shared(store, folder / "shared.duckdb")),
    **added_to({}, "STEPS"),
}


def shown(path: Path) -> str:
    """All that a store shows, as a text."""
    store = Store(path)
    return json.dumps({name: content(store.snapshot(name)) for name in store.collections()}, sort_keys=True)


def in_child(work: Callable[[], str]) -> tuple[int, str]:
    """The exit status of a forked child, and what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            out.write(work())
            out.flush()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def dying(store: Path, work: Callable[[Store], object], last: int) -> str:
    """Work in the store, and die before the step of that number."""
    taken = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal taken
        if event in STEPS and str(store) in str(arguments[0]):
            taken += 1
            if taken == last:
                os._exit(DIED)

    sys.addaudithook(count)
    work(Store(store))
    return ""


def main(scenario: str, folder: Path, apart: int) -> None:
    """Try the first step and every so many after it."""
    prepare, imports = SCENARIOS[scenario]
    before, tried = folder / "store", folder / "tried"
    in_child(lambda: str(prepare(folder)))

    def after(last: int) -> tuple[int, str]:
        shutil.rmtree(tried, ignore_errors=True)
        shutil.copytree(before, tried)
        status, _ = in_child(lambda: dying(tried, lambda store: imports(store, folder), last))
        return status, in_child(lambda: shown(tried))[1]

    whole = [in_child(lambda: shown(before))[1], after(NEVER)[1]]
    step, wrong = 1, []
    while (left := after(step))[0] == DIED:
        if left[1] not in whole:
            wrong.append(step)
        step += apart
    print(json.dumps({"steps": step, "wrong": wrong, "changes": whole[0] != whole[1]}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
