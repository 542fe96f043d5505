"""Stores that the tests of the analysis share: random worlds, printed figures, and the real DL19 data.

A fixture has its store until nobody asks its snapshot any more: until then results are kept.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from thoroughly import thoroughly

from exam_core.demo.printed import COLLECTIONS, printed
from exam_core.store import Snapshot, Store

from .planted import planted
from .worlds import held, world

WORLDS = {"plain": (1, False), "facets": (3, True)}


@pytest.fixture(scope="session", params=["facets", *thoroughly("plain")])
def random_world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A snapshot of a random collection."""
    seed, facets = WORLDS[request.param]
    yield from held(tmp_path_factory.mktemp(request.param), world(seed, facets=facets))


@pytest.fixture(scope="session")
def plain_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """A snapshot of one random collection without facets."""
    yield from held(tmp_path_factory.mktemp("plain"), world(1))


@pytest.fixture(scope="session")
def planted_world(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A collection whose best tau is known."""
    return planted(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="session")
def printed_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the three published collections."""
    store = Store(tmp_path_factory.mktemp("published"))
    for name in COLLECTIONS:
        store.commit(name, printed(name), source="published")
    return store


@pytest.fixture(scope="session")
def dl19(full_dl19_store: Path) -> Iterator[Snapshot]:
    """A snapshot of the released DL19 grades, with the bank, the official ranks and eight label files."""
    store = Store(full_dl19_store)
    yield store.snapshot("dl19")
    del store
