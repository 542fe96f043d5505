"""What the tests of the pages share."""

from pathlib import Path

import pytest
from analysis.worlds import store_of, table

from exam_core.tables import GRADES, RANKINGS


@pytest.fixture(scope="session")
def store(demo_store: Path) -> Path:
    """A store with the embedded collections; only for tests that read."""
    return demo_store


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A store in which passages are labelled as a whole, and one run's name is markup."""
    ranked = [(run, "q1", doc, 1, 1, 2.0, False) for run, doc in (("<b>*bold*</b>", "d1"), ("plain", "d2"))]
    labels = [("Sun", None, "q1", doc, label) for doc, label in (("d1", 1), ("d2", 0))]
    frames = {"rankings": table(RANKINGS, ranked), "grades": table(GRADES, labels)}
    store_of(tmp_path / "store", frames, {"Sun": {"kind": "labels", "scale": 1}})
    return tmp_path / "store"
