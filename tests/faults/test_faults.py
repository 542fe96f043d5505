"""What fails while the store is written is said, and leaves nothing half-written; so does a power loss."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.tracing import STRACE

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not STRACE, reason="strace is not installed: apt-get install strace")


def broken(*arguments):
    """What broke which promise; the script forks, so it is a process of its own, without threads."""
    command = [sys.executable, "-m", "tests.faults", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(one["states"] for one in found) > 4
    return [what for one in found for what in one["broken"]]


@pytest.mark.thorough
def test_every_fault_at_every_call_of_every_way_to_write_leaves_the_store_as_before_or_as_after():
    assert broken("faults") == []


@pytest.mark.thorough
def test_a_power_loss_after_any_call_of_any_way_to_write_leaves_the_store_as_before_or_as_after():
    assert broken("power") == []
