"""Stores that tests of the neighbour methods share."""

from __future__ import annotations

from pathlib import Path

import pytest

from exam_core.actions import importing, importing_runs
from exam_core.store import Store
from exam_core.wings.neighbours.importing import import_assignments, import_orders, import_ranks
from tests.conftest import Once


@pytest.fixture(scope="session")
def nrp_store(once: Once, shared_data: Path) -> Path:
    """A store with the NRP paper's released ranks, orders, judgments and a run, as `clef21`; only to be read."""

    def fill(folder: Path) -> None:
        store, data = Store(folder), shared_data / "data/nrp"
        import_ranks(store, "clef21", data / "nrp_ranks.csv.gz")
        import_orders(store, "clef21", data / "expert_rankings.csv")
        importing_runs.import_run(store, "clef21", data / "colbertv2.0.run.gz")
        for name, file in (("relevance", "qrels"), ("readability", "qreadability"), ("credibility", "qcredibility")):
            importing.import_qrels(store, "clef21", data / f"{file}.txt.gz", name=name)

    return once("clef21", fill)


@pytest.fixture(scope="session")
def rag24_store(once: Once, shared_data: Path) -> Path:
    """A store with the nugget assignments of one system of the RAG track; only for tests that read."""
    path = shared_data / "data/rag24_nuggets/assignments_gpt-4o.jsonl.gz"
    return once("rag24", lambda folder: import_assignments(Store(folder), "rag24", path))
