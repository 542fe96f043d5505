"""Plans of jobs: what is missing, what it takes, and a prompt tried on some passages."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from exam_core import wings
from exam_core.actions.grading_jobs import LARGEST_BLOCK, IsStopped, answering, cached_answer
from exam_core.actions.job_control import own_environment, write_progress
from exam_core.actions.verbs import verb
from exam_core.errors import ExamboardError, GraderError
from exam_core.grading.modes.mode import Mode
from exam_core.grading.prompt import Answerer, ModelAnswer, Prompt, cache_key, workers_of
from exam_core.installation import JOB
from exam_core.jobs import records as jobs
from exam_core.jobs.ordering import JobRequest, Order
from exam_core.jobs.records import Job, mine
from exam_core.jobs.task import Task
from exam_core.jobs.watching import TRIED
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.store.answer_cache import AnswerCache, CachedAnswer

MEASURED, MEASURED_SECONDS = (256, 2_048, 8_192), (3.0, 10.0)
"""A plan asks so many prompts to know the speed: more where they took less than the first seconds, since a card only
shows its speed with full batches, and none after the last. The answers are kept."""


@dataclass(frozen=True)
class Plan:
    """What a job will do.

    Parameters
    ----------
    graded : grades that are there already; missing : that are not
    cached : of the missing ones, those whose answer is known by now; new : prompts that a model must answer
    repeated : missing ones whose prompt is equal to another's
    without_text : pairs whose passage has no text, which can't be graded
    tokens : of the new prompts, estimated from a sample
    workers : of the cluster, that work; None where there is none, or nothing to ask
    seconds, cost : estimated; None where nothing is known of the speed, or no price was given. Of a server that has
        counted no answer yet, the cost is that of the prompts alone
    answer_tokens : of the answers to come, from those that are known; None where no server counted any
    """

    collection: str
    bank: str | None
    grader: str
    graded: int
    missing: int
    cached: int
    repeated: int
    new: int
    without_text: int
    first: int
    tokens: int
    prompts_per_second: float | None
    seconds: float | None
    cost: float | None
    cut_share: float
    workers: int | None = None
    answer_tokens: int | None = None


@verb("edit", has_line=False)
def plan_job(store: Store, request: JobRequest, *, progress: Progress = no_progress) -> Plan:
    """As `plan`; one that the dashboard started keeps its record, one that somebody typed has none."""
    with recorded_plan(store) as stopped:
        task = Task(store, request.order)
        if len(task):  # before the model is asked to know its speed
            store.refuse_another_grader(task.order.collection, task.grader, task.described())
        planned = plan(task, price_per_hour=request.price, progress=progress, stopped=stopped)
        stopped.left = planned.seconds
        return planned


@dataclass
class Planning:
    """A plan that is made; called, it tells whether it was asked to stop.

    Parameters
    ----------
    job : None where somebody typed it
    left : seconds that the work will take, once they are known
    """

    job: Job | None
    left: float | None = None

    def __call__(self) -> bool:
        """Whether to measure no longer."""
        return self.job is not None and self.job.stopping


@contextmanager
def recorded_plan(store: Store) -> Iterator[Planning]:
    """Keep the record of a plan that the dashboard started, and tell whether it was asked to stop measuring.

    One that somebody typed has no record, and Ctrl-C ends it.
    """
    job = mine(store)
    try:
        planning = Planning(job)
        yield planning
    except BaseException as error:
        if job:
            write_progress(job, jobs.JobProgress(state="failed", message=str(error) or type(error).__name__))
        raise
    if job:
        write_progress(job, jobs.JobProgress(state="stopped" if job.stopping else "done", left=planning.left))


def plan(
    task: Task,
    *,
    price_per_hour: float | None = None,
    progress: Progress = no_progress,
    stopped: IsStopped = lambda: False,
) -> Plan:
    """What the job will do, for how long, at what price.

    The speed is measured on a few prompts, whose answers are kept; nothing is asked of a server.

    Parameters
    ----------
    price_per_hour : of the machine, in any currency
    stopped : whether to measure no longer
    """
    keys: list[bytes] = []
    for start in range(0, len(task), LARGEST_BLOCK):
        keys += [cache_key(prompt) for prompt in task.prompts(slice(start, start + LARGEST_BLOCK))]
        progress(min(1.0, len(keys) / max(len(task) * task.order.options.samples, 1)))
    known, new = _known_and_new(task, keys)
    prompts = _spread(task, new, MEASURED[0])
    lengths = task.answerer.lengths(prompts) if prompts else []
    speed, cut = measured(task.answerer, task.cache, prompts, stopped)
    if speed:
        speed = _speed_of_more(task, new, speed, stopped)
        known, new = _known_and_new(task, keys)
    cached = sum(key in known for key in keys)
    seconds = len(new) / speed if speed else (0.0 if not new else None)
    tokens = round(float(np.mean(lengths)) * len(new)) if lengths else 0
    answer_tokens = None
    if counted := task.cache.mean_tokens():
        tokens, answer_tokens = (round(mean * len(new)) for mean in counted)
    cost = None if price_per_hour is None or seconds is None else seconds / 3600 * price_per_hour
    if prices := task.order.options.prices:
        cost = (cost or 0.0) + (tokens * prices[0] + (answer_tokens or 0) * prices[1]) / 1e6
    return Plan(
        collection=task.order.collection,
        bank=task.bank,
        grader=task.grader,
        graded=task.work.graded,
        missing=len(task),
        cached=cached,
        repeated=len(keys) - cached - len(new),
        new=len(new),
        without_text=int(task.work.pairs["passage_text"].isna().sum()),
        first=int(task.first.sum()),
        tokens=tokens,
        prompts_per_second=speed,
        seconds=seconds,
        cost=cost,
        cut_share=cut,
        workers=workers.working if prompts and (workers := workers_of(task.answerer)) else None,
        answer_tokens=answer_tokens,
    )


def _known_and_new(task: Task, keys: list[bytes]) -> tuple[dict[bytes, CachedAnswer], list[int]]:
    """The answers that are known, and the first place of each prompt without one."""
    known = task.cache.find(keys) if keys else {}
    first_place: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        if key not in known:
            first_place.setdefault(key, place)
    return known, list(first_place.values())


def _spread(task: Task, new: list[int], count: int) -> list[Prompt]:
    """So many of the new prompts, from all over the job."""
    each = task.order.options.samples
    sample = np.array(new, np.int64)[np.linspace(0, len(new) - 1, min(len(new), count)).astype(int)]
    prompts = task.prompts(sample // each)
    return [prompts[row * each + place % each] for row, place in enumerate(sample.tolist())]


def _speed_of_more(task: Task, new: list[int], speed: float, stopped: IsStopped) -> float:
    """The speed of larger samples, while one took little time and the job will take long."""
    short, longest = MEASURED_SECONDS
    for before, count in pairwise(MEASURED):
        if stopped() or before / speed > short or len(new) / speed < longest:
            break
        speed = measured(task.answerer, task.cache, _spread(task, new, count), stopped)[0] or speed
    return speed


def measured(
    model: Answerer, cache: AnswerCache, prompts: list[Prompt], stopped: IsStopped = lambda: False
) -> tuple[float | None, float]:
    """Prompts per second, and the share whose passage is cut; those that a job is asking just now are left to it.

    None where the model may cost: nobody has agreed yet to pay.
    """
    if not prompts or getattr(model, "paid", False):
        return None, 0.0
    cached_answers: dict[bytes, CachedAnswer] = {}
    with cache.leases() as leases:
        mine, _ = leases.take([cache_key(prompt) for prompt in prompts])
        new = mine.difference(cache.find(list(mine)))
        prompts = [prompt for prompt in prompts if cache_key(prompt) in new]
        started = time.monotonic()
        with closing(answering(model, prompts)) as answers:
            for came in answers:
                if came:
                    place, answer = came
                    if answer.text is not None:
                        cached_answers[cache_key(prompts[place])] = cached_answer(answer)
                if stopped() or (came and time.monotonic() - started > MEASURED_SECONDS[1]):
                    break
        seconds = time.monotonic() - started
        cache.add(cached_answers)
    if not cached_answers:
        return None, 0.0
    return len(cached_answers) / seconds, sum(cached_answer.cut for cached_answer in cached_answers.values()) / len(
        cached_answers
    )


@verb("edit", has_line=False)
def with_mode(store: Store, order: Order) -> Order:
    """An order whose mode is known by its name; a wing's `actions.py` declares in `ORDERED` what makes it so.

    Raises what that raises: UsageError, BadInput or StoreError for a mode that is not there or can't be kept.
    """
    for meant in wings.declared("orders"):
        order = meant(store, order)
    return order


PASSAGES = 3
SECONDS = 300
"""A trial may take so long; a large model takes a minute to load."""
_Row = tuple[str | None, str | None, str, str, str, int | None, str]


@dataclass(frozen=True)
class _Trial:
    """What the process is asked for.

    Parameters
    ----------
    own : a mode that the store does not keep
    """

    store: str
    order: Order
    own: Mode | None


@dataclass(frozen=True)
class _Outcome:
    """What the process says: rows of `TRIED`, or why there are none."""

    rows: list[_Row]
    error: str = ""


@verb("edit")
def try_mode(store: Store, order: Order, own: Mode | None = None, confirmed: Collection[str] = ()) -> pd.DataFrame:
    """Ask a model about some passages, and read its answers; these are kept, so that a job does not ask them again.

    Parameters
    ----------
    own : a mode that the store does not keep; the order names it
    confirmed : as `start_job`

    Returns
    -------
    `TRIED`

    Raises
    ------
    GraderError : the model can't be loaded or asked, or takes too long
    UsageError : as `Task` and `start_job`
    """
    options = order.options.as_meant
    environment = options.run_by.environment(options, confirmed)
    trial = _Trial(str(store.path.resolve()), order, own)
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=msgspec.json.encode(trial),
            capture_output=True,
            cwd=Path(__file__).parents[2],
            env={**own_environment(), **environment, JOB: "trial"},
            timeout=SECONDS,
            check=False,
        )
        outcome = msgspec.json.decode(done.stdout, type=_Outcome)
    except subprocess.TimeoutExpired:
        raise GraderError(f"{options.model} gave no answer within {SECONDS} seconds.") from None
    except msgspec.MsgspecError:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise GraderError(f"The trial ended unexpectedly: {last or f'exit status {done.returncode}'}") from None
    if outcome.error:
        raise GraderError(outcome.error)
    return TRIED.of(outcome.rows)


def tried(task: Task) -> list[_Row]:
    """Rows of `TRIED`: missing grades of different passages; answers that are known are not asked again."""
    first = np.flatnonzero(task.first) if task.first.any() else np.arange(len(task))
    _, places = np.unique(task.work.pair[first], return_index=True)
    items = first[np.sort(places)[np.linspace(0, len(places) - 1, min(PASSAGES, len(places))).astype(int)]]
    modes, prompts = task.asked(items), task.prompts(items)[:: task.order.options.samples]
    keys = [cache_key(prompt) for prompt in prompts]
    known = task.cache.find(keys)
    new = [place for place, key in enumerate(keys) if key not in known]
    failed: dict[int, ModelAnswer] = {}
    with closing(answering(task.answerer, [prompts[place] for place in new])) as answers:
        for number_of, answer in filter(None, answers):
            place = new[number_of]
            if answer.text is None:
                failed[place] = answer
            else:
                known[keys[place]] = cached_answer(answer)
    task.cache.add({keys[place]: known[keys[place]] for place in new if place not in failed})
    rows: list[_Row] = []
    for place, (named, mode_input, key) in enumerate(zip(task.ids(items), modes, keys, strict=True)):
        grade, reason = None, failed[place].failure if place in failed else ""
        answer_text = "" if place in failed else known[key].text
        if place not in failed and task.mode.verifier != "llm":
            verdict = task.mode.read(answer_text, mode_input, task.order.unreadable)
            grade, reason = verdict.grade, verdict.reason
        question = mode_input.question_text or mode_input.query_text
        rows.append((named["query_id"], named["doc_id"], mode_input.passage_text, question, answer_text, grade, reason))
    return rows


def main() -> None:
    """Carry out the trial that standard input holds; standard output gets what came of it."""
    out = sys.stdout.buffer
    sys.stdout = sys.stderr  # Libraries that load a model print what they like.
    trial = msgspec.json.decode(sys.stdin.buffer.read(), type=_Trial)
    try:
        outcome = _Outcome(tried(Task(Store(Path(trial.store)), _of_a_trial(trial.order), own=trial.own)))
    except ExamboardError as error:
        outcome = _Outcome([], str(error))
    out.write(msgspec.json.encode(outcome))


def _of_a_trial(order: Order) -> Order:
    """The order without its limit; a server answers a trial at once, also where the job sends batches."""
    at_once: dict[str, Any] = {"batch": False} if order.options.batch else {}
    return replace(order, limit=None, options=replace(order.options, **at_once))


if __name__ == "__main__":
    main()
