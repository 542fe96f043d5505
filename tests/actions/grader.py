"""A process that grades when it is told to, with a slow model."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

from exam_core.actions import grading_jobs
from exam_core.actions.grading_jobs import run
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, cache_key
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import Task
from exam_core.store import Store, answer_cache, processes
from tests.actions.fake_model import FakeModel

HERE = processes.here


class SlowModel(FakeModel):
    """Takes its time, writes down each prompt before it answers, and says "asked" with the first."""

    def __init__(self, log: Path, seconds: float, say: Callable[[str], None]) -> None:
        super().__init__()
        self._log, self._seconds, self._say = log, seconds, say

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The first prompt first."""
        for place, prompt in enumerate(prompts):
            if not self.asked:
                self._say("asked")
            with self._log.open("a") as file:
                file.write(cache_key(prompt).hex() + "\n")
            time.sleep(self._seconds)
            yield from ((place, answer) for _, answer in super().answers([prompt]))


def grade_when_told(connection: Connection) -> None:
    """Say "ready", "loaded" when a job is prepared, and its state and number of grades at its end.

    A job is told by the store's folder, a collection, a grader's name, a file for the keys that it asks, seconds for
    each prompt, seconds after which a lease expires, and whether it can see which processes live. It begins with the
    next message.
    """
    grading_jobs.SMALLEST_BLOCK, grading_jobs.LARGEST_BLOCK, grading_jobs.KEEP_SECONDS = 8, 24, (0.05, 0.05)
    connection.send("ready")
    while True:
        folder, collection, grader, log, seconds, answer_cache.EXPIRES_AFTER, sees = connection.recv()
        processes.here = HERE if sees else cache(str)
        order = Order(collection, "self-rating", GradingOptions("fake"), name=grader)
        task = Task(Store(folder), order, model=SlowModel(log, seconds, connection.send))
        connection.send("loaded")
        connection.recv()
        done = run(task)
        connection.send(f"{done.state} {done.done}")
