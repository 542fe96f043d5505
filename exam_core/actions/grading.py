"""Grading: what is missing is planned, asked, read and stored, block by block; stop it anywhere, nothing is lost.

An answer goes to the cache as soon as it is there, a grade to the collection when its block is done. So a job that
is killed and started again asks only what it was asking when it died.

Jobs with the same model share the work: what another one is asking (`store/leases.py`) is left for later, when its
answer is in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Literal

import numpy as np

from exam_core.actions.jobs import create_job, write_progress
from exam_core.errors import ExamboardError
from exam_core.grading.asking import Answer, Answerer, Prompt, cache_key
from exam_core.grading.modes.mode import Asked
from exam_core.grading.modes.ratings import Verdict
from exam_core.jobs.order import Request
from exam_core.jobs.progress import Progress
from exam_core.jobs.records import Job, mine
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.store.answers import AnswerCache, Kept
from exam_core.store.leases import Leases
from exam_core.tables import GRADES

SMALLEST_BLOCK, LARGEST_BLOCK = 64, 16_384
"""Grades in a block; between these as many as are done in `BLOCK_SECONDS`."""
BLOCK_SECONDS = 5.0
LATER_SHARE = 0.02
"""Blocks of a long job take this share of the time so far: an hour makes some hundred files, not thousands."""
KEEP_SECONDS = 5.0
"""Answers wait at most so long in memory."""
LOOK_SECONDS = 0.2
"""A job that waits for others looks so often, or at most a fifth of its time, for what they have answered."""

Later = Literal["later"]
"""Stands for an answer that another job is asked for."""
Told = Callable[[Progress], None]
Asks = Callable[[], bool]


def prepare_job(store: Store, request: Request) -> tuple[Job, Task]:
    """What is to be done, and the record of it; a job that somebody waits for says there why it can't even begin.

    Raises
    ------
    UsageError : as `Task`
    StoreError : the record can't be written
    """
    job = mine(store)
    try:
        task = Task(store, request.order)
    except ExamboardError as error:
        if job:
            write_progress(job, Progress(state="failed", message=str(error)))
        raise
    return job or create_job(store, request), task


def run_job(job: Job, task: Task, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> Progress:
    """Grade what is missing, and keep the record of it; arguments, result and errors are those of `run`."""
    latest = Progress(state="running")

    def told(so_far: Progress) -> None:
        nonlocal latest
        latest = so_far
        write_progress(job, so_far)
        tell(so_far)

    try:
        return run(task, tell=told, stopped=stopped)
    except BaseException as error:
        latest.state = "failed" if isinstance(error, Exception) else "stopped"
        latest.message = str(error) or type(error).__name__
        write_progress(job, latest)
        raise


def run(task: Task, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> Progress:
    """Grade what is missing.

    Parameters
    ----------
    tell : is told how far it is, about once a second
    stopped : whether somebody asked it to stop; what is done by then is kept

    Returns
    -------
    how far it came: its state is done or stopped

    Raises
    ------
    GraderError : the model can't go on; what is done is kept
    """
    so_far = Progress(state="running", total=len(task), first_total=int(task.first.sum()))
    if not len(task):
        so_far.state = "done"
        return so_far
    task.store.describe_grader(task.order.collection, task.grader, task.described())
    tell(so_far)
    queue, size = np.arange(len(task)), SMALLEST_BLOCK
    with ExitStack() as stack:
        runner = _Runner(task, so_far, tell, stopped, stack)
        while len(queue) and not stopped():
            began = time.monotonic()
            reach = size + runner.elsewhere
            left = runner.block(queue[:reach])
            done = len(queue[:reach]) - len(left)
            queue = np.concatenate([left, queue[reach:]])
            took = max(time.monotonic() - began, 1e-3)
            if done:
                size = _next_size(done, took, so_far.seconds)
            elif runner.elsewhere >= len(queue):
                runner.wait(max(LOOK_SECONDS, 4 * took))
    so_far.state = "stopped" if so_far.done + so_far.failed < so_far.total else "done"
    tell(so_far)
    return so_far


def _next_size(done: int, took: float, seconds: float) -> int:
    """Grades of the next block, after one of `done` grades that took so long, in a job that works for `seconds`."""
    wanted = max(BLOCK_SECONDS, LATER_SHARE * seconds)
    largest = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, 4 * done))
    return int(np.clip(done * wanted / took, SMALLEST_BLOCK, largest))


class Stopped(Exception):  # noqa: N818
    """Somebody asked the job to stop within a block."""


class _Runner:
    """Asks, reads and stores one block after the other."""

    def __init__(self, task: Task, so_far: Progress, tell: Told, stopped: Asks, stack: ExitStack) -> None:
        self._task, self._so_far, self._tell, self._stopped, self._stack = task, so_far, tell, stopped, stack
        self._told = 0.0
        self._answered = 0
        """Prompts of the block that are answered already."""
        self._most = SMALLEST_BLOCK
        """Prompts that a block may ask; after one that found all in the cache, the next asks few, as a first one."""
        self._leases: dict[int, Leases] = {}
        self.elsewhere = 0
        """Grades of the last block that were left because another job is asking for them."""

    def block(self, items: np.ndarray) -> np.ndarray:
        """Grade some of what is missing; stopped meanwhile, its answers are kept and its grades come next time.

        Returns
        -------
        those that are left for a later block
        """
        task, self.elsewhere = self._task, 0
        asked = task.asked(items)
        try:
            answers = self._answers(task.answerer, task.cache, [task.mode.prompt(one) for one in asked], self._most)
            verdicts = self._verdicts(asked, answers)
        except Stopped:
            return items
        later = np.array([verdict == "later" for verdict in verdicts], bool)
        self._store(items, answers, verdicts)
        return np.asarray(items[later])

    def wait(self, seconds: float) -> None:
        """Wait for what other jobs are asking, and say so."""
        began = time.monotonic()
        while time.monotonic() - began < seconds and not self._stopped():
            time.sleep(0.05)
        self._so_far.waiting += time.monotonic() - began
        self._say(time.monotonic())

    def _verdicts(self, asked: list[Asked], answers: list[Kept | Later | None]) -> list[Verdict | Later | None]:
        mode, rule = self._task.mode, self._task.order.unreadable
        if mode.verifier != "llm":
            return [
                mode.read(answer.text, one, rule) if isinstance(answer, Kept) else answer
                for answer, one in zip(answers, asked, strict=True)
            ]
        questions = [
            mode.verify_prompts(answer.text, one) if isinstance(answer, Kept) else []
            for answer, one in zip(answers, asked, strict=True)
        ]
        flat = [prompt for prompts in questions for prompt in prompts]
        replies = iter(self._answers(self._task.verifier, self._task.verifier_cache, flat))
        verdicts: list[Verdict | Later | None] = []
        for answer, prompts in zip(answers, questions, strict=True):
            said = [next(replies) for _ in prompts]
            texts = [reply.text for reply in said if isinstance(reply, Kept)]
            if not isinstance(answer, Kept):
                verdicts.append(answer)
            elif len(texts) == len(said):
                verdicts.append(mode.verdict(texts))
            else:
                verdicts.append("later" if "later" in said else None)
        return verdicts

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
                for place, answer in answers:
                    if answer.text is not None:
                        waiting[keys[place]] = Kept(answer.text, answer.cut)
                    now = time.monotonic()
                    self._so_far.asked += 1
                    self._answered += 1
                    self._so_far.seconds += now - before
                    before = now
                    self._say(now)
                    if now - kept_at > KEEP_SECONDS:
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

    def _store(
        self, items: np.ndarray, answers: list[Kept | Later | None], verdicts: list[Verdict | Later | None]
    ) -> None:
        task, so_far = self._task, self._so_far
        rows = [
            (place, verdict, answer)
            for place, verdict, answer in zip(items, verdicts, answers, strict=True)
            if isinstance(verdict, Verdict) and isinstance(answer, Kept)
        ]
        places = np.array([place for place, _, _ in rows], np.int64)
        pairs = task.work.pairs.iloc[task.work.pair[places]]
        questions = task.work.questions.iloc[task.work.question[places]]
        frame = GRADES.frame(
            {
                "grader_id": [task.grader] * len(rows),
                "question_id": questions["question_id"].tolist(),
                "query_id": pairs["query_id"].tolist(),
                "doc_id": pairs["doc_id"].tolist(),
                "grade": [verdict.grade for _, verdict, _ in rows],
                "answer": [answer.text for _, _, answer in rows],
                "correct": [verdict.correct for _, verdict, _ in rows],
            }
        )
        if len(frame):
            task.store.add_grades(task.order.collection, task.grader, frame)
        so_far.done += len(rows)
        so_far.first_done += int(task.first[places].sum())
        so_far.failed += sum(verdict is None for verdict in verdicts)
        so_far.unreadable += sum(verdict.grade is None for _, verdict, _ in rows)
        so_far.cut += sum(answer.cut for _, _, answer in rows)
        self._answered = 0
        if any(verdict != "later" for verdict in verdicts):
            so_far.waiting = 0.0
            self._say(time.monotonic(), at_once=True)

    def _say(self, now: float, *, at_once: bool = False) -> None:
        if now - self._told < 1.0 and not at_once:
            return
        self._told = now
        so_far = self._so_far
        if so_far.waiting:
            so_far.left = None
        elif so_far.asked:
            remaining = so_far.total - so_far.done - so_far.failed - self._answered
            so_far.left = max(remaining, 0) / so_far.rate
        self._tell(so_far)


def answering(model: Answerer, prompts: Sequence[Prompt]) -> Generator[tuple[int, Answer]]:
    """Answers as a generator that can be closed, whatever kind of iterator the model gives."""
    if prompts:
        yield from model.answers(prompts)
