"""Stores that the tests of the analysis share: random worlds, printed figures, and the real DL19 data."""

from __future__ import annotations

import pytest

from exam_core.actions import importing
from exam_core.demo.embedded import PUBLISHED
from exam_core.demo.published import COLLECTIONS, published
from exam_core.store import Store

from .worlds import store_of, world

WORLDS = {"plain": (1, False), "facets-3": (3, True), "facets-4": (4, True)}
GRADED_FILE = "appendix/EXAM-graded-data/DL19-graded-t5-rating-genq-exam-qrels-runs-with-text.jsonl.gz"


@pytest.fixture(scope="session", params=list(WORLDS))
def random_world(request, tmp_path_factory):
    """A snapshot of a random collection."""
    seed, facets = WORLDS[request.param]
    return store_of(tmp_path_factory.mktemp(request.param), world(seed, facets=facets))


@pytest.fixture(scope="session")
def plain_world(tmp_path_factory):
    """A snapshot of one random collection without facets."""
    return store_of(tmp_path_factory.mktemp("plain"), world(1))


@pytest.fixture(scope="session")
def printed_store(tmp_path_factory):
    """A store with the three published collections."""
    store = Store(tmp_path_factory.mktemp("published"))
    for name in COLLECTIONS:
        store.commit(name, published(name), source="published")
    return store


@pytest.fixture(scope="session")
def dl19(tmp_path_factory, shared_data):
    """A snapshot of the released DL19 grades, with the bank, the official ranks and eight label files."""
    store = Store(tmp_path_factory.mktemp("dl19"))
    importing.import_workbench(store, "dl19", shared_data / GRADED_FILE, bank="genq")
    importing.import_bank(store, "dl19", shared_data / "appendix/dl19-questions/dl19-genq.jsonl.gz", bank="genq")
    importing.import_leaderboard(store, "dl19", PUBLISHED / "official_dl19.csv", name="official")
    for path in sorted((shared_data / "data/dl19_labels").glob("*.qrel.gz")):
        importing.import_labels(store, "dl19", path, grader=path.name.removesuffix(".qrel.gz"))
    return store.snapshot("dl19")
