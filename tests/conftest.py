"""What every test may use: the data beside the project, small models, and settings of the property tests.

torch and scikit-learn are imported only by what uses them.
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import gc
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pandas as pd
import pytest
import typer.main
from duckdb import DuckDBPyConnection
from hypothesis import settings

from exam_core.actions import importing, importing_boards
from exam_core.formats import Reading
from exam_core.store import Snapshot, Store, database
from exam_core.store.snapshot import let_go

if TYPE_CHECKING:
    from transformers import T5ForConditionalGeneration

# No database: what failed in one run does not steer the next.
settings.register_profile("examboard", deadline=None, max_examples=20, database=None)
settings.load_profile("examboard")
# A shell that starts the tests in the background tells them to ignore Ctrl-C, and so the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# While tests are collected there is no garbage to speak of, and Python would look through all of them again and again.
gc.disable()
# A process builds a command once, the tests would a thousand times, which takes longer than many of them do.
typer.main.get_command = functools.cache(typer.main.get_command)
_FILLED_ONCE = set[Path]()
_connect_folders = database._connect_folders


@functools.cache
def _database_of(folder: Path) -> DuckDBPyConnection:
    """The DuckDB that reads a folder for all tests of this process."""
    return _connect_folders([folder], {})


def _connect(paths: Sequence[Path], options: database._Options) -> DuckDBPyConnection:
    """Like a dashboard, begin DuckDB once for a store that only is read: that takes longer than most of the tests."""
    if options or not _FILLED_ONCE.issuperset(paths):
        return _connect_folders(paths, options)
    (folder,) = paths
    return _database_of(folder).cursor()


database._connect_folders = _connect

TESTS = Path(__file__).parent
FEW, SAMPLED = 2, ("actions", "analysis", "grading", "exam_numbers", "measures", "notebook", "store", "wings")
"""Values of a test that always run, and where the tests are of whose values many are alike."""
Once = Callable[[str, Callable[[Path], object]], Path]
DL19 = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"
STARTED = sys.modules["__main__"]
OFFICIAL = Path(__file__).parents[1] / "data" / "published" / "official_dl19.csv"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most of a test's many values to make test-all: of those after the first few every eighth runs.

    A journey that fails is tried once more, and is listed: a real browser on a busy machine is late at times.
    """
    known = Counter[str]()
    for item in items:
        name, _, values = item.nodeid.partition("[")
        known[name] += 1
        room = item.path.relative_to(TESTS).parts[0]
        if values and room in SAMPLED and known[name] > FEW and known[name] % 8:
            item.add_marker(pytest.mark.thorough)
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    # One process has them at its beginning, and so starts one server and one browser for all: others take from its end.
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_collection_finish() -> None:
    """Keep the thousands of tests, which stay until the end, out of what Python looks through for garbage."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Let go of the stores that pages and caches keep open for all visitors, which end with the process otherwise.

    Where torch is loaded as well, Python ends without having freed them, and DuckDB's binding lists all that is left.
    """
    gc.unfreeze()  # the tests, and what pages.shared.data froze
    sys.modules["__main__"] = STARTED
    for one in gc.get_objects():
        # A page that Streamlit ran: hypothesis looks into modules for constants, and keeps them with all they name.
        # By its type alone: torch has objects that warn as soon as anything is asked of them.
        if issubclass(type(one), ModuleType) and one.__name__ == "__main__" and one is not STARTED:
            vars(one).clear()
    if streamlit := sys.modules.get("streamlit"):
        streamlit.cache_resource.clear()
    let_go()
    _database_of.cache_clear()
    gc.collect()
    gc.freeze()  # pytest has the collector look twice more
    atexit.register(gc.unfreeze)


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Fill a folder, by name, once for all processes of a test run; only for tests that read it."""
    own = tmp_path_factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def folder(name: str, fill: Callable[[Path], object]) -> Path:
        path, aside = common / name, common / f"{name}.part"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                shutil.rmtree(aside, ignore_errors=True)
                aside.mkdir()
                fill(aside)
                aside.rename(path)
        _FILLED_ONCE.add(path.resolve())
        return path

    return folder


@pytest.fixture
def copied(once: Once, tmp_path: Path) -> Once:
    """Fill the test's own folder with a copy of what is filled once."""
    return lambda name, fill: Path(shutil.copytree(once(name, fill), tmp_path, dirs_exist_ok=True))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that is no part of the project; without it the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("EXAMBOARD_SHARED", beside))
    if not (folder / "appendix").is_dir():
        pytest.skip(f"no real data at {folder}: name its folder in EXAMBOARD_SHARED")
    return folder


@pytest.fixture(scope="session")
def demo_store(once: Once) -> Path:
    """A store with the embedded collections; only for tests that read."""

    def fill(folder: Path) -> None:
        from exam_core.actions.demo import build_demo  # its rankers load scikit-learn, which takes two seconds

        build_demo(Store(folder))

    return once("demo", fill)


@pytest.fixture
def own_store(demo_store: Path, tmp_path: Path) -> Path:
    """The same for a test to change."""
    return Path(shutil.copytree(demo_store, tmp_path / "store"))


@pytest.fixture(scope="module")
def demo(demo_store: Path) -> Snapshot:
    """The demo itself, of the embedded collections."""
    return Store(demo_store).snapshot("demo")


@pytest.fixture(scope="session")
def judged_store(once: Once, demo_store: Path) -> Path:
    """A store with parts of the demo: its runs alone, with its judgments (`mine`), with its questions and texts, too
    (`ready`), and with its grades and an official list in which one run is missing (`graded`).
    """

    def fill(folder: Path) -> None:
        demo, store = Store(demo_store).snapshot("demo"), Store(folder)
        for name, tables in (
            ("runs", ["rankings"]),
            ("mine", ["rankings", "queries", "judgments"]),
            ("ready", ["rankings", "queries", "judgments", "questions", "passages"]),
            ("graded", ["rankings", "queries", "judgments", "questions", "grades", "leaderboards"]),
        ):
            frames = {table: demo.frame(table) for table in tables}
            if "leaderboards" in frames:
                frames["leaderboards"] = frames["leaderboards"].query("run_id != 'lsa-8'")
            graders = {one: dict(about) for one, about in demo.graders.items()} if "grades" in frames else {}
            store.commit(name, Reading(frames, graders), source="made")

    return once("judged", fill)


@pytest.fixture(scope="session")
def two_graders(once: Once, demo_store: Path) -> Path:
    """A store with the demo, unjudged, and a second grader, `nuggetizer`, of the same grades; only to read."""

    def fill(folder: Path) -> None:
        demo = Store(demo_store).snapshot("demo")
        frames = {table: demo.frame(table) for table in ("rankings", "queries", "passages", "questions", "grades")}
        grades = frames["grades"]
        frames["grades"] = pd.concat([grades, grades.assign(grader_id="nuggetizer")], ignore_index=True)
        graders = {one: dict(about) for one, about in demo.graders.items()} | {"nuggetizer": {"scale": 5}}
        Store(folder).commit("demo", Reading(frames, graders), source="made")

    return once("two graders", fill)


@pytest.fixture(scope="session")
def voters(once: Once) -> Path:
    """A store with three graders of the same passages, and judgments of them; only for tests that read."""
    from tests.analysis.electorate import JUDGED, VOTES, electorate

    return once("voters", lambda folder: electorate(folder, VOTES, JUDGED))


@pytest.fixture(scope="session")
def dl19_store(once: Once, shared_data: Path) -> Path:
    """A store with the released DL19 grades and the official leaderboard; only for tests that read."""

    def fill(folder: Path) -> None:
        importing.import_workbench(Store(folder), "dl19", shared_data / DL19, bank="genq")
        importing_boards.import_leaderboard(Store(folder), "dl19", OFFICIAL, name="official")

    return once("dl19", fill)


@pytest.fixture(scope="session")
def full_dl19_store(once: Once, dl19_store: Path, shared_data: Path) -> Path:
    """The DL19 store with the texts of its questions and eight label files, too; only for tests that read."""

    def fill(folder: Path) -> None:
        shutil.copytree(dl19_store, folder, dirs_exist_ok=True)
        store = Store(folder)
        importing.import_bank(store, "dl19", shared_data / "appendix/dl19-questions/dl19-genq.jsonl.gz", bank="genq")
        for path in sorted((shared_data / "data/dl19_labels").glob("*.qrel.gz")):
            importing.import_labels(store, "dl19", path, grader=path.name.removesuffix(".qrel.gz"))

    return once("dl19-full", fill)


@pytest.fixture(scope="session")
def model_folder(once: Once) -> Path:
    """A small trained T5, whose answers end by themselves, with its tokenizer, as from_pretrained loads it."""
    from tests.grading import tiny

    return once("tiny-flan-t5", lambda folder: tiny.save(folder, tiny.trained_t5()))


@pytest.fixture(scope="session")
def trained(model_folder: Path) -> T5ForConditionalGeneration:
    """The small trained T5; read-only."""
    from transformers import T5ForConditionalGeneration

    model: T5ForConditionalGeneration = T5ForConditionalGeneration.from_pretrained(model_folder)
    model.train(mode=False)
    return model


@pytest.fixture(scope="session")
def extractive_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random span reader with its tokenizer, as from_pretrained loads it."""
    from tests.grading import tiny

    return tiny.save(tmp_path_factory.mktemp("models") / "tiny-squad2", tiny.extractive_t5())
