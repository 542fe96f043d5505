"""The same grader on a Ray cluster: a copy of the model on each device, kept for the whole job.

A job asks block by block (see `actions.grading`), so its workers are plain actors that stay: a dataset pipeline
would start them, and load the model, anew for every block. Answers come back through Ray's object store. A worker
that dies is started again, and what it was asked is asked again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from exam_core.errors import ExamboardError, GraderError
from exam_core.grading.asking import Answer, Answerer, Prompt
from exam_core.grading.options import Options
from exam_core.home import pip_install

LIVES = 5
"""How often a worker may die before the job gives up."""
SMALLEST, LARGEST = 16, 1024
"""Prompts in one request to a worker."""
AHEAD = 2
"""Requests that wait at each worker, so that it never waits for us."""
CORES_EACH = 4

Kind = Literal["generate", "extract"]
Load = Callable[[Options, Kind], Answerer]


class _Worker:
    """A model in a process of the cluster."""

    def __init__(self, load: Load, options: Options, kind: Kind) -> None:
        self._model = load(options, kind)

    def about(self) -> dict[str, Any]:
        return self._model.about

    def process(self) -> int:
        return os.getpid()

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        return self._model.lengths(prompts)

    def answers(self, prompts: Sequence[Prompt]) -> list[tuple[int, Answer]]:
        return list(filter(None, self._model.answers(prompts)))


class Cluster:
    """An answerer (see `asking.Answerer`) whose model runs on the machines of a Ray cluster.

    The cluster is the one that $RAY_ADDRESS names or that runs on this machine, else a new one of this machine alone.

    Parameters
    ----------
    load : loads the model where it is called, in the worker's process

    Raises
    ------
    GraderError : Ray is missing or unreachable; a worker can't load the model; the machines hold different models
    """

    def __init__(self, load: Load, options: Options, kind: Kind = "generate") -> None:
        self._ray = _connected()
        free = self._ray.available_resources()
        gpus = int(free.get("GPU", 0)) if options.device != "cpu" else 0
        room = gpus or int(free.get("CPU", 0))
        count = options.workers or gpus or max(1, room // CORES_EACH)
        if count > room:
            raise GraderError(
                f"The Ray cluster has room for {room} more workers on its {'cards' if gpus else 'cores'}, "
                f"not for {count}.\n"
                "Ask for fewer with --workers, or wait until other jobs are done."
            )
        needs = {"num_gpus": 1, "num_cpus": 1} if gpus else {"num_cpus": max(1, room // count)}
        # A worker sees its own card alone, whatever its number.
        one = replace(options, engine="local", device="cuda" if gpus else "cpu")
        actor = self._ray.remote(_Worker).options(max_restarts=LIVES, max_task_retries=LIVES, **needs)
        self._workers = [actor.remote(load, one, kind) for _ in range(count)]
        abouts = [self._get(worker.about.remote()) for worker in self._workers]
        if any(about != abouts[0] for about in abouts):
            raise GraderError(
                f"The cluster's machines hold different models under the name {options.model}.\n"
                "Name a folder that all of them share, or fill their model caches with the same revision."
            )
        self.about: dict[str, Any] = abouts[0]

    def process(self, worker: int) -> int:
        """Process id of a worker on its machine, to look for it there."""
        return int(self._get(self._workers[worker].process.remote()))

    def lengths(self, prompts: Sequence[Prompt]) -> list[int]:
        """Tokens of each prompt after cutting."""
        found: list[int] = self._get(self._workers[0].lengths.remote(list(prompts)))
        return found

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Answer]]:
        """The place of each prompt with its answer, request by request, long prompts first.

        Raises
        ------
        GraderError : a worker can't go on, or died too often
        """
        requests = _requests(prompts, len(self._workers))
        waiting = [[prompts[place] for place in places] for places in requests]
        running: dict[Any, tuple[Any, list[int]]] = {}
        idle = [worker for _ in range(AHEAD) for worker in self._workers]
        try:
            while waiting or running:
                while waiting and idle:
                    worker, places = idle.pop(), requests.pop()
                    running[worker.answers.remote(waiting.pop())] = (worker, places)
                (ready, *_), _ = self._ray.wait(list(running), num_returns=1)
                worker, places = running.pop(ready)
                idle.append(worker)
                for place, answer in self._get(ready):
                    yield places[place], answer
        finally:
            for request in running:  # Whoever stopped listening needs no more answers.
                self._ray.cancel(request, force=False)

    def close(self) -> None:
        """Give the workers' machines back."""
        for worker in self._workers:
            self._ray.kill(worker)

    def _get(self, request: Any) -> Any:
        """What a worker returns; its errors as ours."""
        try:
            return self._ray.get(request)
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, ExamboardError):
                raise cause from None
            reason = str(error).strip().splitlines()[-1]
            raise GraderError(
                f"A worker of the Ray cluster can't go on: {reason}\n"
                "Look at the cluster's log; what is answered is kept, so run the command again to go on."
            ) from None


def _requests(prompts: Sequence[Prompt], workers: int) -> list[list[int]]:
    """Places of the prompts in requests of like length; the last is to be sent first, and has the longest."""
    places = sorted(range(len(prompts)), key=lambda place: len(prompts[place].context))
    size = min(LARGEST, max(SMALLEST, -(-len(places) // (2 * AHEAD * workers))))
    return [places[start : start + size] for start in range(0, len(places), size)]


def _connected() -> Any:
    """Ray, connected to a cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise GraderError(
            f"--engine ray needs Ray, which is not installed. Install it: {pip_install('grader,ray')}"
        ) from None
    if not ray.is_initialized():
        try:
            ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise GraderError(
                f"The Ray cluster can't be reached: {str(error).splitlines()[0]}\n"
                "Check $RAY_ADDRESS, or unset it to use this machine alone."
            ) from None
    return ray
