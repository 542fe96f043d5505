"""A new store for every test, and other processes that import into it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import exam_core
from exam_core import rights
from exam_core.rights import Visitor
from exam_core.store import Store

SCRIPT = Path(__file__).with_name("importer.py")


class Importer:
    """A process of its own that imports workbench files."""

    def __init__(self) -> None:
        root = Path(exam_core.__file__).parents[1]
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"},
        )

    def wait_for(self, word: str) -> None:
        """Wait until the process says a word."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        if said != word:
            raise RuntimeError(f"the importing process said {said!r} instead of {word!r}")

    def start(self, store: Path, collection: str, file: Path) -> None:
        """Let it begin an import."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([str(store), collection, str(file)]) + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL: the process can't clean up after itself."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a folder that doesn't exist yet."""
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def importers() -> Iterator[Callable[[], Importer]]:
    """Starts importing processes; whatever still runs at the end is killed."""
    started: list[Importer] = []

    def start() -> Importer:
        started.append(Importer())
        return started[-1]

    yield start
    for importer in started:
        importer.kill()


@pytest.fixture
def acts() -> Iterator[Callable[..., None]]:
    """Says who acts, until the test is over."""

    def say(name: str, role: str = "") -> None:
        rights.known_by(lambda: Visitor(name, role, f"{name} has no role here."))

    before = rights._known
    yield say
    rights.known_by(before)
