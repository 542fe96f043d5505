"""Seconds and mebibytes."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

REPEATS = 7
Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What the work returns, and the seconds that it took."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def median(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median of the seconds that the work takes, after one round that does not count."""
    work()
    return statistics.median(timed(work)[1] for _ in range(repeats))


def in_a_fresh_process(work: Callable[..., Result], *arguments: object) -> Result:
    """What the work returns when a new process does it, whose memory holds nothing else."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *arguments).result()


def peak_memory() -> float:
    """Mebibytes that this process held when it held most, with what it had mapped of files; 0 where it is not Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def memory() -> float:
    """Mebibytes that this process holds in memory now; 0 where the system doesn't say (it is not Linux)."""
    gc.collect()
    status = Path("/proc/self/statm")
    pages = int(status.read_text().split()[1]) if status.is_file() else 0
    return pages * 4096 / 2**20
