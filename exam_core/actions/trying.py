"""A grading mode tried on a few passages before a job grades all: real answers, and the grades that are read of them.

A process of its own asks the model, as a job's does: it loads what runs the model, and asks only servers that jobs of
the dashboard may ask.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from exam_core.actions.asking_jobs import answering, kept
from exam_core.actions.job_control import own_environment
from exam_core.actions.verbs import verb
from exam_core.errors import ExamboardError, GraderError
from exam_core.grading.modes.mode import Mode
from exam_core.grading.prompt import ModelAnswer, cache_key
from exam_core.installation import JOB
from exam_core.jobs.ahead import TRIED
from exam_core.jobs.order import Order
from exam_core.jobs.task import Task
from exam_core.store import Store

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
    asked, prompts = task.asked(items), task.prompts(items)[:: task.order.options.samples]
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
                known[keys[place]] = kept(answer)
    task.cache.add({keys[place]: known[keys[place]] for place in new if place not in failed})
    rows: list[_Row] = []
    for place, (named, one, key) in enumerate(zip(task.ids(items), asked, keys, strict=True)):
        grade, reason = None, failed[place].failure if place in failed else ""
        answer_text = "" if place in failed else known[key].text
        if place not in failed and task.mode.verifier != "llm":
            verdict = task.mode.read(answer_text, one, task.order.unreadable)
            grade, reason = verdict.grade, verdict.reason
        question = one.question_text or one.query_text
        rows.append((named["query_id"], named["doc_id"], one.passage_text, question, answer_text, grade, reason))
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
