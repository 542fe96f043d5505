"""A process that grades with a slow model that writes down what it is asked, for tests to race and to kill.

Arguments: the store's folder, a collection, a grader's name, a file for the keys that are asked, seconds for each
prompt, seconds after which a lease expires, and whether it can see which processes live. It says "ready", begins when
it is given a line, says "asked" with its first prompt, and at the end how many grades it made.
"""

import sys
import time
from pathlib import Path

from fake_model import FakeModel

from exam_core.actions import grading
from exam_core.actions.grading import Order, Task, run
from exam_core.grading.asking import cache_key
from exam_core.grading.options import Options
from exam_core.store import Store, leases, processes

folder, collection, grader, asked, seconds, expires, sees = sys.argv[1:]
grading.SMALLEST_BLOCK, grading.LARGEST_BLOCK, grading.KEEP_SECONDS = 8, 24, 0.05
leases.EXPIRES_AFTER = float(expires)
if sees == "blind":
    processes.here = lambda: ""


class SlowModel(FakeModel):
    """Takes its time, and writes down each prompt before it answers."""

    def answers(self, prompts):
        """The first prompt first."""
        for place, prompt in enumerate(prompts):
            if not self.asked:
                print("asked", flush=True)
            with Path(asked).open("a") as file:
                file.write(cache_key(prompt).hex() + "\n")
            time.sleep(float(seconds))
            yield from ((place, answer) for _, answer in super().answers([prompt]))


task = Task(Store(folder), Order(collection, "self-rating", Options("fake"), name=grader), model=SlowModel())
print("ready", flush=True)
sys.stdin.readline()
done = run(task)
print(done.state, done.done, flush=True)
