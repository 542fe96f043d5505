"""Where sums over many queries and samples are computed: in one thread or in several.

They are cut into shards, by their size alone, and put together in the shards' order, so numbers are equal to the last
bit wherever shards are computed. A seed is never a shard's own: what is drawn is drawn before.

Processes of one machine gain nothing over threads: numpy lets threads compute at the same time, and threads need
neither copies nor the half second in which a process loads numpy.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from threading import current_thread
from typing import TYPE_CHECKING, Any, TypeVar

from exam_core.errors import UsageError
from exam_core.installation import SERVED_WITH

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Shard = TypeVar("Shard")
Found = TypeVar("Found")

WORKERS = "EXAMBOARD_WORKERS"
"""Environment variable with the number of threads."""
AHEAD = 2
"""Shards that wait for each worker, so that it never waits for us."""
_ONE_EACH = "OPENBLAS_NUM_THREADS"
_OURS = "shard"


@dataclass(frozen=True)
class Engine:
    """So many threads, which compute shards."""

    workers: int = 1

    def map(self, function: Callable[[Shard], Found], shards: Iterable[Shard]) -> Iterator[Found]:
        """What a function makes of each shard, in the shards' order; one shard alone stays in this thread.

        >>> list(Engine(workers=2).map(abs, [-1, 2, -3]))
        [1, 2, 3]
        """
        shards = iter(shards)
        first = list(islice(shards, 2))
        inside = current_thread().name.startswith(_OURS)
        if len(first) < 2 or inside or self.workers == 1:
            yield from map(function, chain(first, shards))
        else:
            yield function(first[0])  # What all shards need and is kept is made once.
            yield from _in_threads(function, chain(first[1:], shards), self.workers)


def multiply_in_one_thread() -> None:
    """Let threads be ours alone: matrices that are multiplied in several, too, fight for the processors.

    numpy looks at this when it is loaded.
    """
    os.environ.setdefault(_ONE_EACH, SERVED_WITH[_ONE_EACH])


def current() -> Engine:
    """What the environment says, else a thread for each processor; one where matrices take several themselves.

    Raises UsageError where the environment names no number of workers.
    """
    count = os.environ.get(WORKERS)
    if count and not (count.isdecimal() and int(count)):
        raise UsageError(f"{WORKERS}={count}: set it to a whole number from 1 on, or unset it.")
    if count or os.environ.get(_ONE_EACH) != "1":
        return Engine(int(count or 1))
    return Engine(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """The threads of all who compute, so that many visitors share the processors."""
    from concurrent.futures import ThreadPoolExecutor  # not at the top: the command line's help needs none

    return ThreadPoolExecutor(workers, thread_name_prefix=_OURS)


def _in_threads(function: Callable[[Shard], Found], shards: Iterable[Shard], workers: int) -> Iterator[Found]:
    waiting: deque[Any] = deque()
    try:
        for shard in shards:
            if len(waiting) == workers * AHEAD:
                yield waiting.popleft().result()
            waiting.append(_pool(workers).submit(function, shard))
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
