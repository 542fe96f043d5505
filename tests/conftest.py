"""What every test may use: the data beside the project, and settings of the property tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
