"""A process that grades when it is told to, with a slow model, so that a test can race it or kill it.

It says "ready" once its libraries are loaded. Each line it is given then is a JSON list: the store's folder, a
collection, a grader's name, a file for the keys that it asks, seconds for each prompt, seconds after which a lease
expires, and whether it can see which processes live. It says "loaded", begins when it is given another line, says
"asked" with its first prompt, and at the end its state and how many grades it made.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from exam_core.actions import grading_jobs
from exam_core.actions.grading_jobs import run
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer, Prompt, cache_key
from exam_core.jobs.ordering import Order
from exam_core.jobs.task import Task
from exam_core.store import Store, answer_cache, processes
from tests.actions.fake_model import FakeModel

grading_jobs.SMALLEST_BLOCK, grading_jobs.LARGEST_BLOCK, grading_jobs.KEEP_SECONDS = 8, 24, (0.05, 0.05)
HERE = processes.here


class SlowModel(FakeModel):
    """Takes its time, and writes down each prompt before it answers."""

    def __init__(self, log: str, seconds: float) -> None:
        super().__init__()
        self._log, self._seconds = Path(log), seconds

    def answers(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, ModelAnswer]]:
        """The first prompt first."""
        for place, prompt in enumerate(prompts):
            if not self.asked:
                print("asked", flush=True)
            with self._log.open("a") as file:
                file.write(cache_key(prompt).hex() + "\n")
            time.sleep(self._seconds)
            yield from ((place, answer) for _, answer in super().answers([prompt]))


print("ready", flush=True)
for line in sys.stdin:
    folder, collection, grader, log, seconds, answer_cache.EXPIRES_AFTER, sees = json.loads(line)
    processes.here = HERE if sees else cache(str)
    order = Order(collection, "self-rating", GradingOptions("fake"), name=grader)
    task = Task(Store(folder), order, model=SlowModel(log, seconds))
    print("loaded", flush=True)
    sys.stdin.readline()
    done = run(task)
    print(done.state, done.done, flush=True)
