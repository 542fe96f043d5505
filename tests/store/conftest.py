"""A new store for every test."""

from pathlib import Path

import pytest

from exam_core.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in a folder that doesn't exist yet."""
    return Store(tmp_path / "store")
