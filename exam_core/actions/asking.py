"""Asking prompts as a job does: looked up, leased, asked, kept; block by block, and always known how far it is.

An answer goes to the cache as soon as it is there. So a job that is killed and started again asks only what it was
asking when it died. Jobs with the same model share the work: what another one is asking (`store/leases.py`) is left
for later, when its answer is in the cache.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Literal, TypeVar

import numpy as np

from exam_core.actions.jobs import create_job, write_progress
from exam_core.errors import ExamboardError
from exam_core.grading.asking import Answer, Answerer, Prompt, cache_key, workers_of
from exam_core.jobs.progress import Progress
from exam_core.jobs.records import Job, Wanted, mine
from exam_core.store import Store
from exam_core.store.answers import AnswerCache, Kept
from exam_core.store.leases import Leases

SMALLEST_BLOCK, LARGEST_BLOCK = 64, 16_384
"""Grades in a block; between these as many as are done in `BLOCK_SECONDS`."""
BLOCK_SECONDS = 5.0
LATER_SHARE = 0.02
"""Blocks of a long job take this share of the time so far: an hour makes some hundred files, not thousands."""
KEEP_SECONDS = 5.0
"""Answers wait at most so long in memory."""
LOOK_SECONDS = 0.2
"""A job that waits for others looks so often, or at most a fifth of its time, for what they have answered."""

P = TypeVar("P")
Later = Literal["later"]
"""Stands for an answer that another job is asked for."""
Told = Callable[[Progress], None]
Asks = Callable[[], bool]


def prepared_job(store: Store, request: Wanted, prepare: Callable[[], P]) -> tuple[Job, P]:
    """What is to be done, and the record of it; a job that somebody waits for says there why it can't even begin.

    Raises
    ------
    UsageError : as `prepare`
    StoreError : the record can't be written
    """
    job = mine(store)
    try:
        prepared = prepare()
    except ExamboardError as error:
        if job:
            write_progress(job, Progress(state="failed", message=str(error)))
        raise
    return job or create_job(store, request), prepared


def recorded(job: Job, work: Callable[[Told], Progress], *, tell: Told = lambda _: None) -> Progress:
    """Do the work and keep the record of how far it is; result and errors are those of `work`.

    Parameters
    ----------
    work : is given what it has to tell how far it is
    """
    latest = Progress(state="running")

    def told(so_far: Progress) -> None:
        nonlocal latest
        latest = so_far
        write_progress(job, so_far)
        tell(so_far)

    try:
        return work(told)
    except BaseException as error:
        latest.state = "failed" if isinstance(error, Exception) else "stopped"
        latest.message = str(error) or type(error).__name__
        write_progress(job, latest)
        raise


class Stopped(Exception):  # noqa: N818
    """Somebody asked the job to stop within a block."""


class Asking(ABC):
    """Asks a model, and tells how far it is; whoever does a kind of work inherits it, and adds `block`.

    Parameters
    ----------
    stack : closes the leases at the end
    """

    keeps_at_once = False
    """Whether each answer is on disk before the next one is waited for: for few and long ones."""

    def __init__(self, so_far: Progress, tell: Told, stopped: Asks, stack: ExitStack) -> None:
        self._so_far, self._tell, self._stopped, self._stack = so_far, tell, stopped, stack
        self._told = 0.0
        self._answered = 0
        """Prompts of the block that are answered already."""
        self._most = SMALLEST_BLOCK
        """Prompts that a block may ask; after one that found all in the cache, the next asks few, as a first one."""
        self._leases: dict[int, Leases] = {}
        self.failures: Counter[str] = Counter()
        """Why prompts got no answer."""
        self.elsewhere = 0
        """Items of the last block that were left because another job is asking for them."""

    @abstractmethod
    def block(self, items: np.ndarray) -> np.ndarray:
        """Do some of what is missing; stopped meanwhile, its answers are kept and its items come next time.

        Returns
        -------
        those that are left for a later block
        """

    def all(self, total: int) -> None:
        """Do all items, block by block, until they are done or somebody asked to stop."""
        queue, size = np.arange(total), SMALLEST_BLOCK
        while len(queue) and not self._stopped():
            began = time.monotonic()
            reach = size + self.elsewhere
            left = self.block(queue[:reach])
            done = len(queue[:reach]) - len(left)
            queue = np.concatenate([left, queue[reach:]])
            took = max(time.monotonic() - began, 1e-3)
            if done:
                size = _next_size(done, took, self._so_far.seconds)
            elif self.elsewhere >= len(queue):
                self.wait(max(LOOK_SECONDS, 4 * took))

    def wait(self, seconds: float) -> None:
        """Wait for what other jobs are asking, and say so."""
        began = time.monotonic()
        while time.monotonic() - began < seconds and not self._stopped():
            time.sleep(0.05)
        self._so_far.waiting += time.monotonic() - began
        self._say(time.monotonic())

    def _answers(
        self, model: Answerer, cache: AnswerCache, prompts: list[Prompt], most: int | None = None
    ) -> list[Kept | Later | None]:
        """The answers of all prompts, known or asked now; None where the model failed.

        Parameters
        ----------
        most : prompts to ask at most; the others come later, as those do that another job asks
        """
        keys = [cache_key(prompt) for prompt in prompts]
        cache.refresh()
        found = cache.find(keys) if keys else {}
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if new:
            leases = self._leases_beside(cache)
            try:
                mine, theirs = leases.take(list(new), most)
                cache.refresh()  # Others may have answered some before these were leased.
                found |= cache.find(list(new))
                to_ask = {key: prompt for key, prompt in new.items() if key in mine and key not in found}
                found |= self._asked(model, cache, to_ask)
            finally:
                leases.release()
            self.elsewhere += sum(key in theirs and key not in found for key in keys)
            if most is not None:
                self._most = max(self._most, 4 * len(to_ask))
        return [found.get(key, None if key in to_ask else "later") if key in new else found[key] for key in keys]

    def _asked(self, model: Answerer, cache: AnswerCache, prompts: Mapping[bytes, Prompt]) -> dict[bytes, Kept]:
        """What the model answers now; kept, also if it stops midway."""
        found: dict[bytes, Kept] = {}
        waiting: dict[bytes, Kept] = {}
        keys, kept_at = list(prompts), time.monotonic()
        try:
            with closing(answering(model, list(prompts.values()))) as answers:
                before = time.monotonic()
                for came in answers:
                    now, workers = time.monotonic(), workers_of(model)
                    if workers:
                        self._so_far.workers, self._so_far.workers_wanted = workers.working, workers.wanted
                    if workers is None or workers.working:
                        self._so_far.seconds += now - before
                    before = now
                    if came:
                        place, answer = came
                        self._so_far.asked += 1
                        self._answered += 1
                        if answer.text is not None:
                            waiting[keys[place]] = Kept(answer.text, answer.cut, answer.stopped)
                        else:
                            self.failures[answer.failure] += 1
                    self._say(now)
                    if self.keeps_at_once or now - kept_at > KEEP_SECONDS:
                        cache.add(waiting)
                        found |= waiting
                        waiting, kept_at = {}, now
                    if self._stopped():
                        raise Stopped
        finally:
            cache.add(waiting)
        return found | waiting

    def _leases_beside(self, cache: AnswerCache) -> Leases:
        if id(cache) not in self._leases:
            self._leases[id(cache)] = self._stack.enter_context(cache.leases())
        return self._leases[id(cache)]

    def _end_block(self, *, moved: bool) -> None:
        """Say how far it is after a block; one that moved nothing waits for other jobs."""
        self._answered = 0
        if moved:
            self._so_far.waiting = 0.0
            self._say(time.monotonic(), at_once=True)

    def _say(self, now: float, *, at_once: bool = False) -> None:
        if now - self._told < 1.0 and not at_once:
            return
        self._told = now
        so_far = self._so_far
        if so_far.waiting or so_far.workers == 0:
            so_far.left = None
        elif so_far.asked:
            remaining = so_far.total - so_far.done - so_far.failed - self._answered
            so_far.left = max(remaining, 0) / so_far.rate
        self._tell(so_far)


def _next_size(done: int, took: float, seconds: float) -> int:
    """Grades of the next block, after one of `done` grades that took so long, in a job that works for `seconds`."""
    wanted = max(BLOCK_SECONDS, LATER_SHARE * seconds)
    largest = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, 4 * done))
    return int(np.clip(done * wanted / took, SMALLEST_BLOCK, largest))


def answering(model: Answerer, prompts: Sequence[Prompt]) -> Generator[tuple[int, Answer] | None]:
    """Answers as a generator that can be closed, whatever kind of iterator the model gives; None as the model does."""
    if prompts:
        yield from model.answers(prompts)
