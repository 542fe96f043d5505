"""Many at one store for a while: users of a dashboard, an importer, graders, editors; what goes wrong is counted.

python -m tests.soak [--seconds N] [--users N]

A dashboard is served, and users open tabs, move tau, turn pages, close their tabs and come again: sessions of the
server over websockets, as a browser has them. Half of them look at a collection that nobody changes, half at the one
that all others write to. Each leaderboard is compared with the command line's; in the busy collection by the bank and
for the runs that nobody changes. Writers do and undo, so that the collection does not grow but for its history. The
server's memory and open files are noted each five seconds.
"""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from benchmarks.dashboard import serving
from benchmarks.users import resident
from exam_core.actions import importing_runs, lexical, undoing
from exam_core.actions.importing import import_bank, import_workbench
from exam_core.jobs.ordering import Order
from exam_core.store import Store
from exam_core.store.checking import check as check_store
from tests.actions.action_files import bank, workbench
from tests.visitors import BOARD, PROTOCOL, TAUS, Boards, Seen, check, visiting
from tests.wings import added_to

ROOT = Path(__file__).parents[1]
NOTED = 5.0
"""Seconds between two looks at memory and open files."""
WRITERS, PAUSE = {"importer": 1}, {"importer": 2.0, "grader": 1.0}
"""How many do the same, if not two, and seconds that each rests, if not five."""
THOUGHT, TURNED = 2.0, 0.3
"""Seconds that a user thinks between two moves, and the share of moves that turn a page."""
IDLE, SETTLING = 300, 150.0
"""Tabs that ask for nothing, and the seconds within which the server has to let go of them."""
LOGGED = 20_000
"""Characters of the server's log that are told where something went wrong; a visitor is not told why."""
RUNS = 3
"""Runs that are imported again and again."""
MEASURE, BANK = "Cover", "questions"


def prepare(folder: Path) -> None:
    """A collection that nobody changes, and one that everybody writes to."""
    store = Store(folder / "store")
    import_workbench(store, "still", workbench(folder / "still.jsonl", queries=4, docs=10, questions=5))
    import_workbench(store, "busy", workbench(folder / "busy.jsonl"))
    bank(folder / "bank.jsonl", {"q1": {f"q1/{number}": f"who is {number}?" for number in range(3)}})
    import_bank(store, "busy", folder / "bank.jsonl", bank="b")


def importing(folder: Path, number: int) -> None:
    """A few runs, each again and again with other scores; every third import is undone."""
    store, path = Store(folder / "store"), folder / f"run-{number % RUNS}.run"
    turn = number // RUNS
    path.write_text(f"q1 Q0 q1-d0 1 {2 + turn % 2} r{number % RUNS}\nq1 Q0 q1-d1 2 1.5 r{number % RUNS}\n")
    importing_runs.import_run(store, "busy", path, replace=True)
    if number % 3 == 2:
        newest = max(one["id"] for one in store.snapshot("busy").sources if one["file"] == path.name)
        undoing.undo_import(store, "busy", newest)


def grading(folder: Path, number: int) -> None:
    """What is missing of the newest version of a bank."""
    del number
    lexical.grade_lexically(Store(folder / "store"), Order("busy", bank="b"))


ROLES: dict[str, Callable[[Path, int], None]] = added_to({"importer": importing, "grader": grading}, "SOAKING")


def writing(role: str, folder: Path, seconds: float) -> None:
    """Do one thing again and again, and say how often, and what went wrong."""
    until, done, errors = time.monotonic() + seconds, 0, list[str]()
    while time.monotonic() < until:
        try:
            ROLES[role](folder, done)
            done += 1
        except Exception as error:  # every error is told at the end
            errors.append(f"{type(error).__name__}: {error}")
        time.sleep(PAUSE.get(role, 5.0))
    print(json.dumps({"role": role, "done": done, "errors": errors}))


@dataclass
class Server:
    """What a process holds over time: its own memory, as it is when pages are shared with nobody, and open files."""

    process: int
    noted: list[dict[str, float]] = field(default_factory=list)

    def note(self, second: float) -> None:
        """Look once."""
        mine = re.search(r"^Private_Dirty: +([0-9]+) kB", self._read("smaps_rollup"), re.MULTILINE)
        files = len(list(Path(f"/proc/{self.process}/fd").iterdir()))
        threads = len(list(Path(f"/proc/{self.process}/task").iterdir()))
        own = int(mine[1]) / 1024 if mine else 0.0
        self.noted.append(
            {
                "second": round(second),
                "mib": round(resident(self.process), 1),
                "own_mib": round(own, 1),
                "files": files,
                "threads": threads,
            }
        )

    def _read(self, name: str) -> str:
        return Path(f"/proc/{self.process}/{name}").read_text(encoding="ascii")


def boards(store: Path, collection: str) -> dict[int, dict[str, float]]:
    """The leaderboard by the bank that came with the grades, at every tau, as the command line prints it."""
    command = [sys.executable, "-m", "exam_core", "--store", str(store), "leaderboard", collection]
    command += ["--measure", f"{MEASURE}@20", "--bank", BANK, "--tau", "all", "--format", "json"]
    printed = subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    found = json.loads(printed.stdout)
    return {tau: {row["run_id"]: row["mean"] for row in one["rows"]} for tau, one in zip(TAUS, found, strict=True)}


def look(port: int, collection: str, expected: Boards, seen: Seen, until: float, seed: int) -> None:
    """Be a user until that time: open a tab, move tau, turn pages, close it and come again."""
    rng = random.Random(seed)
    while time.monotonic() < until:
        try:
            address = f"collection={collection}&measure={MEASURE}&bank={BANK}&scores=raw"
            with visiting(port, address, BOARD, seen) as visit:
                for _ in range(rng.randint(5, 40)):
                    if rng.random() < TURNED:
                        visit.turn(rng)
                    else:
                        tau = rng.choice(TAUS)
                        check(visit.move(tau), expected, tau, seen)
                    time.sleep(rng.uniform(0.5, 1.5) * THOUGHT)
                    if time.monotonic() > until:
                        break
        except Exception as error:  # every error is told at the end
            seen.errors.append(f"{type(error).__name__}: {error}")


def connections(port: int, process: int, count: int) -> dict[str, int]:
    """Open tabs that ask for nothing, close them, and count the server's open files before, meanwhile and after."""

    def files() -> int:
        return len(list(Path(f"/proc/{process}/fd").iterdir()))

    before = files()
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=[PROTOCOL]))
        meanwhile = files()
    until = time.monotonic() + SETTLING
    while files() > before and time.monotonic() < until:
        time.sleep(0.5)
    return {"connections": count, "before": before, "meanwhile": meanwhile, "after": files()}


def soak(folder: Path, seconds: float, users: int, idle: int = IDLE) -> dict[str, Any]:
    """Let everybody work for a while; returns what was done, what went wrong, and memory and open files over time."""
    expected = {name: boards(folder / "store", name) for name in ("still", "busy")}
    seen, noted = Seen(), list[dict[str, float]]()
    log = folder / "server.log"
    with serving(folder / "store", log=log) as served:
        port, server = int(served.address.rsplit(":", 1)[1]), Server(served.process, noted)
        started = time.monotonic()
        until = started + seconds
        writers = [_writer(role, folder, seconds) for role in ROLES for _ in range(WRITERS.get(role, 2))]
        names = ("still", "busy")
        threads = [
            threading.Thread(target=look, args=(port, names[user % 2], expected[names[user % 2]], seen, until, user))
            for user in range(users)
        ]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            server.note(time.monotonic() - started)
            time.sleep(NOTED)
        for thread in threads:
            thread.join()
        told = [json.loads(one.communicate()[0]) for one in writers]
        unused = connections(port, served.process, idle)
    store = Store(folder / "store")
    return {
        "seconds": seconds,
        "users": users,
        **asdict(seen),
        "log": log.read_text(encoding="utf-8", errors="replace")[-LOGGED:] if seen.errors else "",
        "writers": told,
        "idle": unused,
        "flat": flat(noted),
        "noted": noted,
        "problems": [problem.told for one in check_store(store) for problem in one.problems],
        "left": [str(path) for path in store.path.rglob(".*.part")],
    }


def flat(noted: list[dict[str, float]]) -> dict[str, list[float]]:
    """The medians of the thirds of the second half of the time: in the first, pages are loaded and answers kept."""
    size = len(noted) // 6
    thirds = [noted[size * number : size * (number + 1)] for number in range(3, 6)]
    return {
        what: [statistics.median(one[what] for one in third) for third in thirds if third]
        for what in ("mib", "own_mib", "files", "threads")
    }


def _writer(role: str, folder: Path, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.soak", "--role", role, "--folder", str(folder), "--seconds", str(seconds)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def main() -> None:
    """Soak, and print what came of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--role", choices=ROLES, help="be one of the writers")
    parser.add_argument("--folder", type=Path, help="where the writers work")
    options = parser.parse_args()
    if options.role:
        writing(options.role, options.folder, options.seconds)
        return
    with tempfile.TemporaryDirectory() as made:
        prepare(Path(made))
        print(json.dumps(soak(Path(made), options.seconds, options.users), indent=1))


if __name__ == "__main__":
    main()
