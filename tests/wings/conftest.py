"""Fixtures of the core's tests that those of wings share."""

from pathlib import Path

import pytest

import exam_core as eb
from tests.actions.conftest import acts as acts
from tests.actions.conftest import store as store
from tests.analysis.conftest import dl19 as dl19
from tests.analysis.conftest import plain_world as plain_world
from tests.analysis.conftest import planted_world as planted_world
from tests.analysis.conftest import printed_store as printed_store
from tests.analysis.conftest import random_world as random_world
from tests.cli.conftest import examboard as examboard
from tests.cli.conftest import tagged as tagged
from tests.cli.conftest import told as told
from tests.formats.conftest import refusal as refusal
from tests.formats.conftest import write as write
from tests.pages.conftest import labelled as labelled


@pytest.fixture
def demo_collection(demo_store: Path) -> eb.Collection:
    """The demo as a notebook has it; only to be read."""
    return eb.open(demo_store)["demo"]


@pytest.fixture
def own_collection(own_store: Path) -> eb.Collection:
    """A copy of the demo as a notebook has it, to import into."""
    return eb.open(own_store)["demo"]
