"""Stores as a notebook opens them."""

import shutil
from pathlib import Path

import pytest

import exam_core as eb


@pytest.fixture
def demo(demo_store: Path) -> eb.Collection:
    """The demo; only to be read."""
    return eb.open(demo_store)["demo"]


@pytest.fixture
def own(demo_store: Path, tmp_path: Path) -> eb.Collection:
    """A copy of the demo, to import into."""
    for folder in ("demo", ".locks"):
        if (demo_store / folder).exists():
            shutil.copytree(demo_store / folder, tmp_path / "store" / folder)
    return eb.open(tmp_path / "store")["demo"]
