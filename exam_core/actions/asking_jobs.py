"""Asking prompts as a job does: looked up, leased, asked, kept; block by block, and always known how far it is.

Answers go to the cache every few seconds. So a job that is killed and started again asks only what it asked in the
last `KEEP_SECONDS`. Jobs with the same model share the work: what another one is asking (`store/leases.py`) is left
for later, when its answer is in the cache.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast

import numpy as np

from exam_core.actions.job_control import create_job, write_progress
from exam_core.declared import declared
from exam_core.errors import ExamboardError
from exam_core.grading.failures import BUDGET, LATER
from exam_core.grading.options import BACKENDS, GradingOptions
from exam_core.grading.prompt import Answerer, ModelAnswer, Prompt, cache_key, workers_of
from exam_core.jobs.job_kind import Wanted
from exam_core.jobs.job_progress import JobProgress, amount
from exam_core.jobs.kinds import kind_of
from exam_core.jobs.records import Job, jobs, mine
from exam_core.store import Store
from exam_core.store.answer_cache import AnswerCache, KeptAnswer
from exam_core.store.leases import Leases
from exam_core.wording import counted

SMALLEST_BLOCK, LARGEST_BLOCK = 64, 16_384
"""Grades in a block; between these as many as are done in `BLOCK_SECONDS`."""
LARGEST_OF_BATCHES = 200_000
"""Grades that are asked at once by batches."""
BLOCK_SECONDS = 5.0
LATER_SHARE = 0.02
"""Blocks of a long job take this share of the time so far: an hour makes some hundred files, not thousands."""
KEEP_SECONDS = (0.25, 5.0)
"""Answers wait so long in memory: a tenth of the time since the job began, between these."""
LOOK_SECONDS = 0.2
"""A job that waits for others looks so often, or at most a fifth of its time, for what they have answered."""

P = TypeVar("P")
Later = Literal["later"]
"""Stands for an answer that another job is asked for."""
Told = Callable[[JobProgress], None]
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
            write_progress(job, JobProgress(state="failed", message=str(error)))
        raise
    return job or create_job(store, request), prepared


def recorded(job: Job, work: Callable[[Told], JobProgress], *, tell: Told = lambda _: None) -> JobProgress:
    """Do the work and keep the record of how far it is; result and errors are those of `work`.

    Parameters
    ----------
    work : is given what it has to tell how far it is
    """
    latest = JobProgress(state="running")

    def told(so_far: JobProgress) -> None:
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


class AskingJob(ABC):
    """Asks a model, and tells how far it is; whoever does a kind of work inherits it, and adds `block`.

    Parameters
    ----------
    stack : closes the leases at the end
    """

    keeps_at_once = False
    """Whether each answer is on disk before the next one is waited for: for few and long ones."""

    def __init__(self, so_far: JobProgress, tell: Told, stopped: Asks, stack: ExitStack) -> None:
        self._so_far, self._tell, self._stopped, self._stack = so_far, tell, stopped, stack
        self._told, self._began = 0.0, time.monotonic()
        self._answered = 0
        """Prompts of the block that are answered already."""
        self._most = SMALLEST_BLOCK
        """Prompts that a block may ask; after one that found all in the cache, the next asks few, as a first one."""
        self._leases: dict[int, Leases] = {}
        self.why: dict[bytes, ModelAnswer] = {}
        """Prompts of the block that got no answer, with what came instead."""
        self.failures: Counter[str] = Counter()
        """Why prompts got no answer."""
        self.elsewhere = 0
        """Items of the last block that were left because another job is asking for them."""
        self.each = 1
        """Prompts of an item."""
        self.asks: Answerer | None = None
        """The model, where it may count tokens."""
        self.server_cut: list[str] = []
        """What is to be known of prompts that the server cut, in sentences."""

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
        if self.sends_batches:
            size = self._most = LARGEST_OF_BATCHES
        while len(queue) and not self._so_far.over and not self._stopped():
            began = time.monotonic()
            reach = size + self.elsewhere
            left = self.block(queue[:reach])
            done = len(queue[:reach]) - len(left)
            queue = np.concatenate([left, queue[reach:]])
            took = max(time.monotonic() - began, 1e-3)
            if self.sends_batches:
                size = LARGEST_OF_BATCHES
            elif done:
                size = _next_size(done, took, self._so_far.seconds)
            if not done and self.elsewhere >= len(queue) and not self._so_far.over:
                self.wait(max(LOOK_SECONDS, 4 * took))
        self._say(time.monotonic(), at_once=True)

    @property
    def sends_batches(self) -> bool:
        """Whether the model is asked by batches, of which each takes as many prompts as there are."""
        return bool(getattr(self.asks, "sends", False))

    def wait(self, seconds: float) -> None:
        """Wait for what other jobs are asking, and say so."""
        began = time.monotonic()
        while time.monotonic() - began < seconds and not self._stopped():
            time.sleep(0.05)
        self._so_far.waiting += time.monotonic() - began
        self._say(time.monotonic())

    def _answers(
        self, model: Answerer, cache: AnswerCache, prompts: list[Prompt], most: int | None = None
    ) -> list[KeptAnswer | Later | None]:
        """The answers of all prompts, known or asked now; None where the model failed.

        Parameters
        ----------
        most : prompts to ask at most; the others come later, as those do that another job asks
        """
        keys = [cache_key(prompt) for prompt in prompts]
        found, unasked = cache.find(keys) if keys else {}, set[bytes]()
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in found}
        if new:
            leases = self._leases_beside(cache)
            try:
                mine, theirs = leases.take(list(new), most)
                found |= cache.find(list(new))
                to_ask = {key: prompt for key, prompt in new.items() if key in mine and key not in found}
                found |= self._asked(model, cache, to_ask, unasked)
            finally:
                leases.release()
            self.elsewhere += sum((key in theirs and key not in found) or key in unasked for key in keys)
            if most is not None:
                self._most = max(self._most, 4 * len(to_ask))
            failed = to_ask.keys() - unasked
        return [found.get(key, None if key in failed else "later") if key in new else found[key] for key in keys]

    def _asked(
        self, model: Answerer, cache: AnswerCache, prompts: Mapping[bytes, Prompt], unasked: set[bytes]
    ) -> dict[bytes, KeptAnswer]:
        """What the model answers now; kept, also if it stops midway. Those that cost too much go to `unasked`."""
        found: dict[bytes, KeptAnswer] = {}
        waiting: dict[bytes, KeptAnswer] = {}
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
                        self._take(keys[came[0]], came[1], waiting, unasked)
                    self._say(now)
                    if self.keeps_at_once or now - kept_at > np.clip((now - self._began) / 10, *KEEP_SECONDS):
                        cache.add(waiting)
                        found |= waiting
                        waiting, kept_at = {}, now
                    if self._stopped():
                        raise Stopped
                fetched = getattr(model, "fetched", {})
                waiting |= {key: kept(answer) for key, answer in fetched.items() if key not in cache.find([key])}
                fetched.clear()
        finally:
            cache.add(waiting)
        if settle := getattr(model, "settle", None):
            settle()
        return found | waiting

    def _take(self, key: bytes, answer: ModelAnswer, waiting: dict[bytes, KeptAnswer], unasked: set[bytes]) -> None:
        """What one prompt brought."""
        so_far = self._so_far
        if answer.reason in (BUDGET, LATER):
            so_far.over = so_far.over or answer.reason == BUDGET
            unasked.add(key)
            return
        so_far.asked += 1
        self._answered += 1
        if answer.text is not None:
            waiting[key] = kept(answer)
            return
        self.failures[answer.failure] += 1
        self.why[key] = answer
        if answer.reason:
            so_far.reasons[answer.reason] = so_far.reasons.get(answer.reason, 0) + 1
            so_far.examples.setdefault(answer.reason, answer.failure)

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

    def _count(self) -> None:
        """What a server says of tokens, what they cost, and how it had to be asked."""
        so_far, meter = self._so_far, getattr(self.asks, "meter", None)
        so_far.notes = [*getattr(self.asks, "notes", ()), *self.server_cut]
        if meter and meter.counted:
            so_far.prompt_tokens, so_far.answer_tokens = meter.prompt, meter.answer
        if meter and meter.prices:
            so_far.spent, so_far.before = meter.spent, meter.before
            if so_far.over:
                so_far.message = over_budget(so_far, meter.budget)

    def _say(self, now: float, *, at_once: bool = False) -> None:
        if now - self._told < 1.0 and not at_once:
            return
        self._told = now
        self._count()
        so_far = self._so_far
        so_far.batch, so_far.trying = "", getattr(self.asks, "trying", "")
        if so_far.waiting or so_far.workers == 0:
            so_far.left = None
        elif watched := getattr(self.asks, "watched", None):
            so_far.batch = f"{watched.answered:,} of {watched.prompts:,} answered in " + counted(
                {"batches": watched.batches}
            )
            so_far.left = watched.left
        elif so_far.asked:
            remaining = self.each * (so_far.total - so_far.done - so_far.failed) - self._answered
            so_far.left = max(remaining, 0) / so_far.rate
            if so_far.spent is not None:
                so_far.to_come = max(remaining, 0) * so_far.spent / so_far.asked
        self._tell(so_far)


def over_budget(so_far: JobProgress, budget: float) -> str:
    """That a job stopped because of its budget, and what to do."""
    before = f", {amount(so_far.before)} of it by earlier jobs" if so_far.before else ""
    return (
        f"The budget of {amount(budget)} allows no further prompt: {amount(so_far.before + (so_far.spent or 0.0))} is "
        f"spent{before}. To go on, start the job again with a higher --budget; answers are kept."
    )


def begin_spending(task: Any, job: Job) -> None:
    """Let a task's budget know what earlier jobs for the same have spent.

    Parameters
    ----------
    task : with a store, an order and an answerer
    """
    if task.order.options.budget is not None and job.request and len(task):
        task.answerer.meter.before = spent_before(task.store, job, job.request)


def spent_before(store: Store, now: Job, request: Wanted) -> float:
    """What jobs that were asked for the same grades have spent, at the prices of this one."""
    if (prices := request.order.options.prices) is None:
        return 0.0
    wanted, total = _same(request), 0.0
    for one in jobs(store):
        if one.id != now.id and one.request is not None and _same(one.request) == wanted:
            so_far, _ = one.so_far()
            total += (so_far.prompt_tokens or 0) * prices[0] + (so_far.answer_tokens or 0) * prices[1]
    return total / 1e6


def _same(request: Wanted) -> Any:
    """What is equal of two requests that are for the same answers."""
    ours, order, kind = GradingOptions(), request.order, kind_of(request)
    options = replace(order.options, **{name: getattr(ours, name) for row in BACKENDS.values() for name in row.aside})
    usual = {name: field.default for name, field in declared(type(order)).items() if name in kind.aside}
    return replace(cast(Any, order), options=options, **usual)


def kept(answer: ModelAnswer) -> KeptAnswer:
    """An answer as it is kept."""
    return KeptAnswer(answer.text or "", answer.cut, answer.stopped, *(answer.usage or (None, None)))


def _next_size(done: int, took: float, seconds: float) -> int:
    """Grades of the next block, after one of `done` grades that took so long, in a job that works for `seconds`."""
    wanted = max(BLOCK_SECONDS, LATER_SHARE * seconds)
    largest = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, 4 * done))
    return int(np.clip(done * wanted / took, SMALLEST_BLOCK, largest))


def answering(model: Answerer, prompts: Sequence[Prompt]) -> Generator[tuple[int, ModelAnswer] | None]:
    """Answers as a generator that can be closed, whatever kind of iterator the model gives; None as the model does."""
    if prompts:
        yield from model.answers(prompts)
