"""`examboard bench site`."""

from __future__ import annotations

from benchmarks.commands import print_measured
from exam_core.cli import common as cli


def site(collection: cli.Collection) -> None:
    """How long a live page takes to make, to open from disk in a real browser, and to follow a move of tau.

    Example: examboard bench site dl19
    """
    from benchmarks.wings.live.site import benchmark

    snapshot = cli.open_store().snapshot(collection)
    print_measured("Measuring", lambda progress: benchmark(snapshot, progress=progress))
