"""A new store for every test, and other processes that import into it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from exam_core import rights
from exam_core.rights import Visitor
from exam_core.store import Store

from .importer import import_when_told
from .workers import Worker


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a folder that doesn't exist yet."""
    return Store(tmp_path / "store")


@pytest.fixture(scope="module")
def importers() -> Iterator[Callable[[], Worker]]:
    """Starts processes that are ready to import; whatever still runs at the end is killed."""
    started: list[Worker] = []

    def start() -> Worker:
        started.append(Worker(import_when_told))
        started[-1].wait_for("ready")
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
