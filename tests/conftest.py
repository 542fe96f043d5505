"""What every test may use: the data beside the project, and settings of the property tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from exam_core.actions.demo import build_demo
from exam_core.store import Store

# No database: what failed in one run does not steer the next.
settings.register_profile("examboard", deadline=None, max_examples=40, database=None)
settings.load_profile("examboard")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that is no part of the project; without it the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("EXAMBOARD_SHARED", beside))
    if not (folder / "appendix").is_dir():
        pytest.skip(f"no real data at {folder}: name its folder in EXAMBOARD_SHARED")
    return folder


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the embedded collections; only for tests that read."""
    path = tmp_path_factory.mktemp("store")
    build_demo(Store(path))
    return path
