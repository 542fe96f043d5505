"""A real Ray cluster on this machine: a head that computes nothing, and machines of a core that tests add and kill."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ray.cluster_utils import Cluster as Machines

STORE = 80_000_000


@contextmanager
def head() -> Iterator[Machines]:
    """The cluster without a machine, which $RAY_ADDRESS names meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        found = Machines(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False},
        )
        patch.setenv("RAY_ADDRESS", found.address)
        try:
            yield found
        finally:
            found.shutdown()  # type: ignore[no-untyped-call]


def fill(machines: Machines, count: int) -> Machines:
    """Add machines until there are so many."""
    while len(machines.worker_nodes) < count:
        machines.add_node(num_cpus=1, object_store_memory=STORE)
    return machines


def kill(machines: Machines, *, raylet_alone: bool = False) -> str:
    """Kill a machine, with all that it runs or first its raylet alone; returns Ray's name for it."""
    machine = next(iter(machines.worker_nodes))
    if raylet_alone:
        os.kill(machine.all_processes["raylet"][0].process.pid, signal.SIGKILL)
    machines.remove_node(machine, allow_graceful=False)
    return str(machine.node_id)


def at_work(log: Path) -> list[int]:
    """Processes that came to work, in order, as the log says."""
    return [int(found) for found in re.findall(r"process (\d+) on \S+ \(\w+\) works", log.read_text("utf-8"))]
