"""Stores as a notebook opens them."""

from pathlib import Path

import pytest

import exam_core as eb


@pytest.fixture
def demo(demo_store: Path) -> eb.Collection:
    """The demo; only to be read."""
    return eb.open(demo_store)["demo"]


@pytest.fixture
def own(own_store: Path) -> eb.Collection:
    """A copy of the demo, to import into."""
    return eb.open(own_store)["demo"]
