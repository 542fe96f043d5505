"""What the tests of the pages share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def store(demo_store: Path) -> Path:
    """A store with the embedded collections; only for tests that read."""
    return demo_store
