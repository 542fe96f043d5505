"""Jobs that grade: prepared, run block by block, and ended."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar, cast

import numpy as np

from exam_core.actions.job_control import Graded, Holding, Keeps, create_job, note_missing, write_progress
from exam_core.actions.verbs import verb
from exam_core.declared import declared
from exam_core.errors import ExamboardError
from exam_core.grading.backend import Vote
from exam_core.grading.failures import BUDGET, LATER, missing_sentences
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.modes.ratings import Verdict, verdict_of
from exam_core.grading.options import BACKENDS, GradingOptions
from exam_core.grading.prompt import (
    LOOKED_AT,
    Answerer,
    ModelAnswer,
    Prompt,
    TokenCounts,
    cache_key,
    cut_words,
    workers_of,
)
from exam_core.jobs.job_kind import Wanted
from exam_core.jobs.kinds import kind_of
from exam_core.jobs.ordering import JobRequest
from exam_core.jobs.records import Job, JobProgress, amount, jobs, mine
from exam_core.jobs.task import Task
from exam_core.store import Store
from exam_core.store.answer_cache import AnswerCache, CachedAnswer, Leases
from exam_core.tables import GRADES
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
ReportProgress = Callable[[JobProgress], None]
IsStopped = Callable[[], bool]


def prepared_job(store: Store, request: Wanted, prepare: Callable[[], P]) -> tuple[Job, P]:
    """The job's record, and what `prepare` gives; if that fails, a record that somebody waits for says why.

    Raises StoreError where the record can't be written, and the errors of `prepare`.
    """
    job = mine(store)
    try:
        prepared = prepare()
    except ExamboardError as error:
        if job:
            write_progress(job, JobProgress(state="failed", message=str(error)))
        raise
    return job or create_job(store, request), prepared


def recorded(
    job: Job, work: Callable[[ReportProgress], JobProgress], *, tell: ReportProgress = lambda _: None
) -> JobProgress:
    """Do the work, which is given a callback for its progress, and keep the record of it; result and errors are the
    work's.
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

    `stack` closes the leases at the end.
    """

    keeps_at_once = False
    """Whether each answer is on disk before the next one is waited for: for few and long ones."""

    def __init__(self, so_far: JobProgress, tell: ReportProgress, stopped: IsStopped, stack: ExitStack) -> None:
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
        """Do some of what is missing, and give the items that are left for a later block.

        Stopped meanwhile, its answers are kept and its items come next time.
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
                wanted = max(BLOCK_SECONDS, LATER_SHARE * self._so_far.seconds)
                largest = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, 4 * done))
                size = int(np.clip(done * wanted / took, SMALLEST_BLOCK, largest))
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
    ) -> list[CachedAnswer | Later | None]:
        """The answers of all prompts, known or asked now; None where the model failed.

        At most `most` prompts are asked; the others come later, as those do that another job asks.
        """
        # Answers of earlier versions say no likelihoods: a model that says some is asked again.
        likely = getattr(model, "says_likelihoods", False)

        def cached(keys: list[bytes]) -> dict[bytes, CachedAnswer]:
            return {key: known for key, known in cache.find(keys).items() if known.likelihoods or not likely}

        keys = [cache_key(prompt) for prompt in prompts]
        cached_answers, unasked = cached(keys) if keys else {}, set[bytes]()
        new = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in cached_answers}
        if new:
            if id(cache) not in self._leases:
                self._leases[id(cache)] = self._stack.enter_context(cache.leases())
            leases = self._leases[id(cache)]
            try:
                mine, theirs = leases.take(list(new), most)
                cached_answers |= cached(list(new))
                to_ask = {key: prompt for key, prompt in new.items() if key in mine and key not in cached_answers}
                cached_answers |= self._asked(model, cache, to_ask, unasked)
            finally:
                leases.release()
            self.elsewhere += sum((key in theirs and key not in cached_answers) or key in unasked for key in keys)
            if most is not None:
                self._most = max(self._most, 4 * len(to_ask))
            failed = to_ask.keys() - unasked
        return [
            cached_answers.get(key, None if key in failed else "later") if key in new else cached_answers[key]
            for key in keys
        ]

    def _asked(
        self, model: Answerer, cache: AnswerCache, prompts: Mapping[bytes, Prompt], unasked: set[bytes]
    ) -> dict[bytes, CachedAnswer]:
        """What the model answers now; kept, also if it stops midway. Those that cost too much go to `unasked`."""
        cached_answers: dict[bytes, CachedAnswer] = {}
        waiting: dict[bytes, CachedAnswer] = {}
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
                        cached_answers |= waiting
                        waiting, kept_at = {}, now
                    if self._stopped():
                        raise Stopped
                fetched = getattr(model, "fetched", {})
                waiting |= {
                    key: cached_answer(answer) for key, answer in fetched.items() if key not in cache.find([key])
                }
                fetched.clear()
        finally:
            cache.add(waiting)
        if settle := getattr(model, "settle", None):
            settle()
        return cached_answers | waiting

    def _take(self, key: bytes, answer: ModelAnswer, waiting: dict[bytes, CachedAnswer], unasked: set[bytes]) -> None:
        """What one prompt brought."""
        so_far = self._so_far
        if answer.reason in (BUDGET, LATER):
            so_far.over = so_far.over or answer.reason == BUDGET
            unasked.add(key)
            return
        so_far.asked += 1
        self._answered += 1
        if answer.text is not None:
            waiting[key] = cached_answer(answer)
            return
        self.failures[answer.failure] += 1
        self.why[key] = answer
        if answer.reason:
            so_far.reasons[answer.reason] = so_far.reasons.get(answer.reason, 0) + 1
            so_far.examples.setdefault(answer.reason, answer.failure)

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
    """Let the budget of a task's answerer know what earlier jobs for the same have spent."""
    if task.order.options.budget is not None and job.request and len(task):
        task.answerer.meter.before = spent_before(task.store, job, job.request)


def spent_before(store: Store, now: Job, request: Wanted) -> float:
    """What jobs that were asked for the same grades have spent, at the prices of this one."""
    if (prices := request.order.options.prices) is None:
        return 0.0
    wanted, total = _same(request), 0.0
    for job in jobs(store):
        if job.id != now.id and job.request is not None and _same(job.request) == wanted:
            so_far, _ = job.so_far()
            total += (so_far.prompt_tokens or 0) * prices[0] + (so_far.answer_tokens or 0) * prices[1]
    return total / 1e6


def _same(request: Wanted) -> Any:
    """What is equal of two requests that are for the same answers."""
    ours, order, kind = GradingOptions(), request.order, kind_of(request)
    options = replace(
        order.options, **{name: getattr(ours, name) for row in BACKENDS.values() for name in row.without_effect}
    )
    usual = {name: field.default for name, field in declared(type(order)).items() if name in kind.without_effect}
    return replace(cast(Any, order), options=options, **usual)


def cached_answer(answer: ModelAnswer) -> CachedAnswer:
    """An answer as it is kept."""
    likelihoods = None if answer.likelihoods is None else dict(answer.likelihoods)
    prompt, reply = answer.usage or (None, None)
    return CachedAnswer(answer.text or "", answer.cut, answer.stopped, prompt, reply, likelihoods)


def answering(model: Answerer, prompts: Sequence[Prompt]) -> Generator[tuple[int, ModelAnswer] | None]:
    """Answers as a generator that can be closed, whatever kind of iterator the model gives; None as the model does."""
    if prompts:
        yield from model.answers(prompts)


@verb("edit")
def prepare_job(store: Store, request: JobRequest) -> tuple[Job, Task]:
    """What is to be graded, and the record of it; errors as `prepared_job` and `Task`."""
    return prepared_job(store, request, lambda: Task(store, request.order))


@verb("edit")
def run_job(
    job: Job, task: Task, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False
) -> JobProgress:
    """Grade what is missing, and keep the record of it; arguments, result and errors are those of `run`."""
    task.log, task.missing = job.log_file, job.missing_file

    def work(text: ReportProgress) -> JobProgress:
        begin_spending(task, job)
        return run(task, tell=text, stopped=stopped)

    return recorded(job, work, tell=tell)


def run(task: Task, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False) -> JobProgress:
    """Grade what is missing, and store it; arguments, result and errors are those of `ask_all`."""
    task.waits = partial(_wait, len(task), tell, stopped)
    if len(task):
        task.store.refuse_another_grader(task.order.collection, task.grader, task.described())
    return ask_all(task, partial(_store, task), tell=tell, stopped=stopped)


def ask_all(
    task: Task, keep: Keeps, *, tell: ReportProgress = lambda _: None, stopped: IsStopped = lambda: False
) -> JobProgress:
    """Ask all of a task, and read the answers. Raises GraderError where the model can't go on; what is done is kept.

    `keep` is given the grades, block by block; `tell` is told how far it is, about once a second. Returns how far it
    came: its state is done, stopped, or paused where most of the first answers can't be read.
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
        lines = [" ".join([head, *lost[:1]]), *(f"  {name}" for name in lost[1:]), *rest]
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
        modes = [mode for mode in task.asked(items) for _ in range(self.each)]
        prompts = task.prompts_of(modes)
        room = self._holding.room
        most = self._most if room is None else min(self._most, room * self.each)
        try:
            answers = self._answers(self._model, task.cache, prompts, most)
            verdicts = self._verdicts(modes, answers)
        except Stopped:
            return items
        self._measure(items, prompts, answers)
        if self.why and self._task.missing:
            keys = {cache_key(prompt): int(items[n // self.each]) for n, prompt in enumerate(prompts)}
            pairs = [(keys[key], answer) for key, answer in self.why.items() if key in keys]
            named = zip(self._task.ids([place for place, _ in pairs]), pairs, strict=True)
            rows = (ids | {"reason": answer.reason or "error", "said": answer.failure} for ids, (_, answer) in named)
            note_missing(self._task.missing, rows)
        self.why.clear()
        if self.each > 1:
            answers, verdicts = voted(answers, verdicts, self.each, task.order.options.samples_by)
        later = np.array([verdict == "later" for verdict in verdicts], bool)
        so_far = self._so_far
        graded = [
            (int(place), verdict, answer)
            for place, verdict, answer in zip(items, verdicts, answers, strict=True)
            if isinstance(verdict, Verdict) and isinstance(answer, CachedAnswer)
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
        return np.asarray(items[later])

    def _measure(
        self, items: np.ndarray, prompts: Sequence[Prompt], answers: Sequence[CachedAnswer | Later | None]
    ) -> None:
        """Look which prompts the server cut: it counted clearly fewer tokens than it was sent."""
        for number, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
            if isinstance(answer, CachedAnswer) and answer.prompt_tokens and not answer.cut:
                self._sizes.add(int(items[number // self.each]), prompt.text, answer.prompt_tokens)
        places = self._sizes.cut()
        self._so_far.server_cut = len(places)
        if places:
            self.server_cut = [
                cut_words(len(places), self._task.names(places[:LOOKED_AT]), self._sizes.counted(places[0]))
            ]

    def _verdicts(
        self, modes: list[ModeInput], answers: list[CachedAnswer | Later | None]
    ) -> list[Verdict | Later | None]:
        mode, rule = self._task.mode, self._task.order.unreadable
        if mode.verifier != "llm":
            return [
                mode.read(answer.text, mode_input, rule, answer.likelihoods)
                if isinstance(answer, CachedAnswer)
                else answer
                for answer, mode_input in zip(answers, modes, strict=True)
            ]
        pairs = [
            mode.answer_in(answer.text) if isinstance(answer, CachedAnswer) else ("", "none") for answer in answers
        ]
        questions = [
            [] if reason else mode.verify_prompts(text, item) for (text, reason), item in zip(pairs, modes, strict=True)
        ]
        flat = [prompt for prompts in questions for prompt in prompts]
        replies = iter(self._answers(self._task.verifier, self._task.verifier_cache, flat))
        verdicts: list[Verdict | Later | None] = []
        for answer, (_, reason), prompts in zip(answers, pairs, questions, strict=True):
            replied = [next(replies) for _ in prompts]
            known_replies = [reply.text for reply in replied if isinstance(reply, CachedAnswer)]
            if not isinstance(answer, CachedAnswer):
                verdicts.append(answer)
            elif reason:
                verdicts.append(verdict_of(None, reason))
            elif len(known_replies) == len(replied):
                verdicts.append(mode.verdict(known_replies))
            else:
                verdicts.append("later" if "later" in replied else None)
        return verdicts


def voted(
    answers: Sequence[CachedAnswer | Later | None], verdicts: Sequence[Verdict | Later | None], each: int, by: Vote
) -> tuple[list[CachedAnswer | Later | None], list[Verdict | Later | None]]:
    """One answer and verdict of each item, of the `each` that it has: the first one with the voted grade.

    That is the most frequent grade, or the median; of two the lower one. What can't be read has no vote; where nothing
    can be read, neither can the item. Or it is that of the last answer alone, whatever that is. One that is missing, or
    comes later, lets the whole item wait.
    """
    numbers: list[int] = []
    for start in range(0, len(verdicts), each):
        several = verdicts[start : start + each]
        waits = next((several.index(waiting) for waiting in ("later", None) if waiting in several), None)
        votes = [verdict.grade if isinstance(verdict, Verdict) else None for verdict in several]
        grades = sorted(vote for vote in votes if vote is not None)
        if waits is not None or not grades or by == "last":
            numbers.append(start + (each - 1 if waits is None and by == "last" else waits or 0))
            continue
        most_frequent = min(grades, key=lambda grade: (-grades.count(grade), grade))
        numbers.append(start + votes.index(grades[(len(grades) - 1) // 2] if by == "median" else most_frequent))
    return [answers[place] for place in numbers], [verdicts[place] for place in numbers]


def _wait(total: int, tell: ReportProgress, stopped: IsStopped) -> None:
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
            "decimal": [verdict.decimal for _, verdict, _ in graded],
        }
    )
    if len(frame):
        if not task.introduced:
            task.store.describe_grader(task.order.collection, task.grader, task.described())
            task.introduced = True
        task.store.add_grades(task.order.collection, task.grader, frame)
