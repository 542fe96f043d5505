"""Where sums over many queries and samples are computed: in one thread, in several, or on a Ray cluster.

They are cut into shards, by their size alone, and put together in the shards' order, so numbers are equal to the last
bit wherever shards are computed. A seed is never a shard's own: what is drawn is drawn before.

Processes of one machine gain nothing over threads: numpy lets threads compute at the same time, and threads need
neither copies nor the half second in which a process loads numpy.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from threading import current_thread
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args

from exam_core.errors import ExamboardError, UsageError
from exam_core.installation import SERVED_WITH, pip_install

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Name = Literal["local", "ray"]
Shard = TypeVar("Shard")
Found = TypeVar("Found")

ENGINE, WORKERS = "EXAMBOARD_ENGINE", "EXAMBOARD_WORKERS"
"""Environment variables that choose, as `--engine` and `--workers` before a command do."""
AHEAD = 2
"""Shards that wait for each worker, so that it never waits for us."""
_ONE_EACH = "OPENBLAS_NUM_THREADS"
_OURS = "shard"


@dataclass(frozen=True)
class Engine:
    """What computes shards: threads of this machine, or a Ray cluster that computes so many shards at a time."""

    name: Name = "local"
    workers: int = 1

    def map(self, function: Callable[[Shard], Found], shards: Iterable[Shard]) -> Iterator[Found]:
        """What a function makes of each shard, in the shards' order; one shard alone stays in this thread.

        >>> list(Engine(workers=2).map(abs, [-1, 2, -3]))
        [1, 2, 3]
        """
        shards = iter(shards)
        first = list(islice(shards, 2))
        inside = current_thread().name.startswith(_OURS)
        if len(first) < 2 or inside or (self.name, self.workers) == ("local", 1):
            yield from map(function, chain(first, shards))
        elif self.name == "ray":
            yield from _on_ray(function, chain(first, shards), self.workers * AHEAD)
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

    Raises UsageError where the environment names no engine, or no number of workers.
    """
    name, count = os.environ.get(ENGINE) or "local", os.environ.get(WORKERS)
    if name not in get_args(Name):
        raise UsageError(f"{ENGINE}={name}: there is no such engine. Set it to {' or '.join(get_args(Name))}.")
    if count and not (count.isdecimal() and int(count)):
        raise UsageError(f"{WORKERS}={count}: set it to a whole number from 1 on, or unset it.")
    alone = name == "local" and os.environ.get(_ONE_EACH) != "1"
    usual = 1 if alone else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Engine("ray" if name == "ray" else "local", int(count) if count else usual)


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


def _on_ray(function: Callable[[Shard], Found], shards: Iterable[Shard], most: int) -> Iterator[Found]:
    """By tasks, which Ray begins again elsewhere where a machine is lost."""
    ray = connected()
    task, shared, waiting = ray.remote(_called), ray.put(function), deque[Any]()
    try:
        for shard in shards:
            if len(waiting) == most:
                yield ray.get(waiting.popleft())
            waiting.append(task.remote(shared, shard))
        while waiting:
            yield ray.get(waiting.popleft())
    except ray.exceptions.RayError as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, ExamboardError):
            raise cause from None
        reason = str(cause or error).strip().splitlines()[-1]
        raise ExamboardError(
            f"The Ray cluster could not compute this: {reason}\nRun the command again, or without --engine ray."
        ) from None
    finally:
        for reference in waiting:
            ray.cancel(reference)


def _called(function: Callable[[Shard], Found], shard: Shard) -> Found:
    return function(shard)


class _RayApart:
    """Standard output, but what Ray's own threads print goes to standard error: here a command writes its data."""

    def __init__(self, out: Any) -> None:
        self._out = out

    def write(self, text: str) -> int:
        """Write it where it belongs."""
        return int((sys.stderr if current_thread().name.startswith("ray_") else self._out).write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def connected(address: str | None = None, *, extras: str = "ray") -> Any:
    """Ray, connected to the cluster that $RAY_ADDRESS names or that runs here, else to a new one of this machine.

    Raises UsageError where Ray is missing, or the cluster can't be reached.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise UsageError(f"--engine ray needs Ray, which is not installed. Install it: {pip_install(extras)}") from None
    if not isinstance(sys.stdout, _RayApart):
        sys.stdout = cast(Any, _RayApart(sys.stdout))
    try:
        ray.init(
            address, log_to_driver=False, include_dashboard=False, configure_logging=False, ignore_reinit_error=True
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"The Ray cluster can't be reached: {str(error).splitlines()[0]}\n"
            "Run this on a machine of the cluster, where `ray start` ran, and check $RAY_ADDRESS; or unset it to use "
            "this machine alone."
        ) from None
    return ray
