"""Small simulated collections in real stores."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.simulation.collection import simulate
from benchmarks.simulation.settings import Settings
from exam_core.store import Snapshot, Store

SMALL = {"queries": 40, "passages": 4_735}


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Snapshot]:
    """A stored collection of 40 queries; keywords change its settings."""
    actual: dict[tuple[tuple[str, object], ...], Snapshot] = {}

    def stored(**options: object) -> Snapshot:
        key = tuple(sorted(options.items()))
        if key not in actual:
            store = Store(tmp_path_factory.mktemp("simulated"))
            simulate(store, "c", Settings(**(SMALL | options)))  # type: ignore[arg-type]
            actual[key] = store.snapshot("c")
        return actual[key]

    return stored


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "store")
