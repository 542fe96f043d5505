"""Grading: what is missing is planned, asked, read and stored, block by block; stop it anywhere, nothing is lost.

How prompts are asked, and how jobs share them, is in `asking`. A grade goes to the collection when its block is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from exam_core.actions.asking_jobs import AskingJob, Asks, Later, Stopped, Told, begin_spending, prepared_job, recorded
from exam_core.actions.job_control import note_missing
from exam_core.actions.pausing import Graded, Holding, Keeps
from exam_core.actions.verbs import verb
from exam_core.grading.backend import Vote
from exam_core.grading.failures import missing_sentences
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.modes.ratings import Verdict, verdict_of
from exam_core.grading.prompt import Prompt, cache_key
from exam_core.grading.token_counts import LOOKED_AT, TokenCounts, cut_words
from exam_core.jobs.job_progress import JobProgress
from exam_core.jobs.order import Request
from exam_core.jobs.records import Job
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.store.answer_cache import KeptAnswer
from exam_core.tables import GRADES


@verb("edit")
def prepare_job(store: Store, request: Request) -> tuple[Job, Task]:
    """What is to be graded, and the record of it; errors as `prepared_job` and `Task`."""
    return prepared_job(store, request, lambda: Task(store, request.order))


@verb("edit")
def run_job(job: Job, task: Task, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> JobProgress:
    """Grade what is missing, and keep the record of it; arguments, result and errors are those of `run`."""
    task.log, task.missing = job.log_file, job.missing_file

    def work(told: Told) -> JobProgress:
        begin_spending(task, job)
        return run(task, tell=told, stopped=stopped)

    return recorded(job, work, tell=tell)


def run(task: Task, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> JobProgress:
    """Grade what is missing, and store it; arguments, result and errors are those of `ask_all`."""
    task.waits = partial(_wait, len(task), tell, stopped)
    if len(task):
        task.store.refuse_another_grader(task.order.collection, task.grader, task.described())
    return ask_all(task, partial(_store, task), tell=tell, stopped=stopped)


def ask_all(task: Task, keep: Keeps, *, tell: Told = lambda _: None, stopped: Asks = lambda: False) -> JobProgress:
    """Ask all of a task, and read the answers. Raises GraderError where the model can't go on; what is done is kept.

    Parameters
    ----------
    keep : is given the grades, block by block
    tell : is told how far it is, about once a second
    stopped : whether somebody asked it to stop; what is done by then is kept

    Returns
    -------
    how far it came: its state is done, stopped, or paused where most of the first answers can't be read
    """
    so_far = JobProgress(state="running", total=len(task), first_total=int(task.first.sum()))
    if not len(task):
        so_far.state, so_far.message = "done", "nothing to do"
        tell(so_far)
        return so_far
    tell(so_far)
    with ExitStack() as stack:
        holding = Holding(task, keep)
        stack.callback(holding.end)
        _BlockRunner(task, holding, so_far, tell, lambda: bool(holding.why) or stopped(), stack).all(len(task))
    if holding.why:
        head, *rest = holding.why.splitlines()
        # The first reason is on the first line, which is all that lists of jobs show.
        lost = missing_sentences(so_far.reasons, so_far.examples)
        lines = [" ".join([head, *lost[:1]]), *(f"  {one}" for one in lost[1:]), *rest]
        so_far.state, so_far.message, so_far.reads = "paused", "\n".join(lines), holding.reads
        so_far.done, so_far.first_done, so_far.left = 0, 0, None
        tell(so_far)
        return so_far
    so_far.state = "stopped" if so_far.over or so_far.done + so_far.failed < so_far.total else "done"
    tell(so_far)
    return so_far


class _BlockRunner(AskingJob):
    """Asks, reads and hands over one block after the other."""

    def __init__(self, task: Task, holding: Holding, so_far: JobProgress, *asking: Any) -> None:
        super().__init__(so_far, *asking)
        self._task, self._holding = task, holding
        # Loaded before anybody looks whether to stop: until then Ctrl-C ends it at once.
        self._model = self.asks = task.answerer
        self.each = task.order.options.samples
        self._sizes = TokenCounts()

    def block(self, items: np.ndarray) -> np.ndarray:
        task, self.elsewhere = self._task, 0
        asked = [one for one in task.asked(items) for _ in range(self.each)]
        prompts = task.prompts_of(asked)
        room = self._holding.room
        most = self._most if room is None else min(self._most, room * self.each)
        try:
            answers = self._answers(self._model, task.cache, prompts, most)
            verdicts = self._verdicts(asked, answers)
        except Stopped:
            return items
        self._measure(items, prompts, answers)
        self._note_missing(items, prompts)
        if self.each > 1:
            answers, verdicts = voted(answers, verdicts, self.each, task.order.options.samples_by)
        later = np.array([verdict == "later" for verdict in verdicts], bool)
        self._hand_over(items, answers, verdicts)
        return np.asarray(items[later])

    def _measure(
        self, items: np.ndarray, prompts: Sequence[Prompt], answers: Sequence[KeptAnswer | Later | None]
    ) -> None:
        """Look which prompts the server cut: it counted clearly fewer tokens than it was sent."""
        for number, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
            if isinstance(answer, KeptAnswer) and answer.prompt_tokens and not answer.cut:
                self._sizes.add(int(items[number // self.each]), prompt.text, answer.prompt_tokens)
        places = self._sizes.cut()
        self._so_far.server_cut = len(places)
        if places:
            self.server_cut = [
                cut_words(len(places), self._task.names(places[:LOOKED_AT]), self._sizes.counted(places[0]))
            ]

    def _note_missing(self, items: np.ndarray, prompts: Sequence[Prompt]) -> None:
        """Write down which grades got no answer, and why."""
        if self.why and self._task.missing:
            keys = {cache_key(prompt): int(items[n // self.each]) for n, prompt in enumerate(prompts)}
            told = [(keys[key], answer) for key, answer in self.why.items() if key in keys]
            named = zip(self._task.ids([place for place, _ in told]), told, strict=True)
            rows = (ids | {"reason": answer.reason or "error", "said": answer.failure} for ids, (_, answer) in named)
            note_missing(self._task.missing, rows)
        self.why.clear()

    def _verdicts(
        self, asked: list[ModeInput], answers: list[KeptAnswer | Later | None]
    ) -> list[Verdict | Later | None]:
        mode, rule = self._task.mode, self._task.order.unreadable
        if mode.verifier != "llm":
            return [
                mode.read(answer.text, one, rule) if isinstance(answer, KeptAnswer) else answer
                for answer, one in zip(answers, asked, strict=True)
            ]
        said = [mode.answer_in(answer.text) if isinstance(answer, KeptAnswer) else ("", "none") for answer in answers]
        questions = [
            [] if reason else mode.verify_prompts(text, one) for (text, reason), one in zip(said, asked, strict=True)
        ]
        flat = [prompt for prompts in questions for prompt in prompts]
        replies = iter(self._answers(self._task.verifier, self._task.verifier_cache, flat))
        verdicts: list[Verdict | Later | None] = []
        for answer, (_, reason), prompts in zip(answers, said, questions, strict=True):
            replied = [next(replies) for _ in prompts]
            texts = [reply.text for reply in replied if isinstance(reply, KeptAnswer)]
            if not isinstance(answer, KeptAnswer):
                verdicts.append(answer)
            elif reason:
                verdicts.append(verdict_of(None, reason))
            elif len(texts) == len(replied):
                verdicts.append(mode.verdict(texts))
            else:
                verdicts.append("later" if "later" in replied else None)
        return verdicts

    def _hand_over(
        self, items: np.ndarray, answers: list[KeptAnswer | Later | None], verdicts: list[Verdict | Later | None]
    ) -> None:
        so_far = self._so_far
        graded = [
            (int(place), verdict, answer)
            for place, verdict, answer in zip(items, verdicts, answers, strict=True)
            if isinstance(verdict, Verdict) and isinstance(answer, KeptAnswer)
        ]
        self._holding.add(graded, sum(verdict is None for verdict in verdicts))
        so_far.done += len(graded)
        so_far.first_done += sum(bool(self._task.first[place]) for place, _, _ in graded)
        so_far.failed += sum(verdict is None for verdict in verdicts)
        so_far.unreadable += sum(verdict.grade is None for _, verdict, _ in graded)
        so_far.filled += sum(verdict.grade is not None and bool(verdict.reason) for _, verdict, _ in graded)
        why = Counter(verdict.reason for _, verdict, _ in graded if verdict.reason)
        so_far.unread = dict(Counter(so_far.unread) + why)
        so_far.cut += sum(answer.cut for _, _, answer in graded)
        self._end_block(moved=any(verdict != "later" for verdict in verdicts))


def voted(
    answers: Sequence[KeptAnswer | Later | None], verdicts: Sequence[Verdict | Later | None], each: int, by: Vote
) -> tuple[list[KeptAnswer | Later | None], list[Verdict | Later | None]]:
    """One answer and verdict of each item, of the several that it has: the first one with the voted grade.

    What can't be read has no vote; where nothing can be read, neither can the item. One that is missing, or comes
    later, lets the whole item wait.

    Parameters
    ----------
    each : answers of an item
    by : the most frequent grade, or the median; of two the lower one
    """
    found: list[int] = []
    for start in range(0, len(verdicts), each):
        several = list(verdicts[start : start + each])
        waits = next((n for n, one in enumerate(several) if one is None), None)
        waits = next((n for n, one in enumerate(several) if one == "later"), waits)
        grades = sorted(one.grade for one in several if isinstance(one, Verdict) and one.grade is not None)
        if waits is not None or not grades:
            found.append(start + (waits or 0))
            continue
        middle = grades[(len(grades) - 1) // 2]
        grade = middle if by == "median" else min(grades, key=lambda one: (-grades.count(one), one))
        said = (n for n, one in enumerate(several) if isinstance(one, Verdict) and one.grade == grade)
        found.append(start + next(said))
    return [answers[place] for place in found], [verdicts[place] for place in found]


def _wait(total: int, tell: Told, stopped: Asks) -> None:
    """Say that a first worker is waited for; stopped meanwhile, a job ends at once, because it has asked nothing."""
    if stopped():
        raise KeyboardInterrupt("Stopped before a worker was there; nothing was asked.")
    tell(JobProgress(state="running", total=total, trying="waits for the first worker of the Ray cluster"))


def _store(task: Task, graded: Sequence[Graded]) -> None:
    """Add grades to the collection."""
    places = np.array([place for place, _, _ in graded], np.int64)
    pairs = task.work.pairs.iloc[task.work.pair[places]]
    questions = task.work.questions.iloc[task.work.question[places]]
    frame = GRADES.frame(
        {
            "grader_id": [task.grader] * len(graded),
            "question_id": questions["question_id"].tolist(),
            "query_id": pairs["query_id"].tolist(),
            "doc_id": pairs["doc_id"].tolist(),
            "grade": [verdict.grade for _, verdict, _ in graded],
            "answer": [answer.text for _, _, answer in graded],
            "correct": [verdict.correct for _, verdict, _ in graded],
        }
    )
    if len(frame):
        if not task.introduced:
            task.store.describe_grader(task.order.collection, task.grader, task.described())
            task.introduced = True
        task.store.add_grades(task.order.collection, task.grader, frame)
