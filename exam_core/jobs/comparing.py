"""How often two graders differ on the same prompts: what another precision, search, program or model costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exam_core.errors import UsageError
from exam_core.grading.modes.mode import ModeInput
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import ModelAnswer
from exam_core.jobs.ordering import Order, completed
from exam_core.jobs.task import Task
from exam_core.progress import Progress, no_progress, part_of
from exam_core.store import Store
from exam_core.wording import plain_number

NEAR_TIE = 1e-4
"""Two answers whose scores are nearer than this can change places by rounding alone."""
EXAMPLES = 20
_SAMPLED = "(compared)"
"""Name of a grader that has graded nothing, so that everything may be asked."""


@dataclass(frozen=True)
class ComparedAnswer:
    """What one grader made of a prompt."""

    answer: str | None
    grade: int | None
    margin: float | None = None


def compare(
    store: Store, order: Order, other: str, *, sample: int = 200, progress: Progress = no_progress
) -> dict[str, Any]:
    """Ask a sample of what a grader would be asked, and see what another one makes of it; nothing is stored.

    Parameters
    ----------
    other : a grader of the collection; or greedy, beams=N, scored, bf16, tf32, or a model, to be asked the same
    sample : prompts, spread over all that both can grade

    Returns
    -------
    graders, sample, how many answers and grades differ and by how much, near ties of the first grader, and examples

    Raises UsageError where there is nothing that both can grade, or another model verifies the mode's answers.
    """
    if order.options.batch or order.options.samples > 1:
        raise UsageError("--compare asks each prompt once, and at once: leave --batch and --samples out.")
    order = replace(completed(order), name=_SAMPLED, limit=None)
    task = Task(store, order)
    if task.mode.verifier == "llm":
        mode = task.mode.name.removesuffix("-llm")
        raise UsageError(f"Compare the answers with mode {mode}, whose answers are the same.")
    stored = other in store.snapshot(order.collection).graders
    known = _stored(store, task, other) if stored else {}
    both = np.array(sorted(known)) if stored else np.arange(len(task))
    if not len(both):
        raise UsageError(f"{order.collection} has no passage that both can grade, so there is nothing to compare.")
    places = both[np.unique(np.linspace(0, len(both) - 1, sample).astype(int))].tolist()
    modes = [task.asked(slice(place, place + 1))[0] for place in places]
    first = _said(task, modes, part_of(progress, 0, 1 if stored else 2))
    if stored:
        second = [known[place] for place in places]
        about: Any = other
    else:
        second_task = Task(store, replace(order, options=changed(order.options, other)))
        second, about = _said(second_task, modes, part_of(progress, 1, 2)), second_task.answerer.about
    pairs = list(zip(first, second, strict=True))
    steps = Counter(abs(a.grade - b.grade) for a, b in pairs if a.grade is not None and b.grade is not None)
    return {
        "collection": order.collection,
        "graders": [task.answerer.about, about],
        "sample": len(places),
        "answers_differ": sum(a.answer != b.answer for a, b in pairs),
        "grades_differ": sum(a.grade != b.grade for a, b in pairs),
        "by_how_much": {str(step): count for step, count in sorted(steps.items()) if step},
        "near_ties": sum(a.margin is not None and a.margin < NEAR_TIE for a in first),
        "examples": [
            _named(task, place) | {"answers": [a.answer, b.answer], "grades": [a.grade, b.grade], "margin": a.margin}
            for place, a, b in zip(places, first, second, strict=True)
            if a.answer != b.answer
        ][:EXAMPLES],
    }


def changed(options: GradingOptions, other: str) -> GradingOptions:
    """The options with what `other` names changed; any other word is a model."""
    match other.partition("="):
        case ("greedy", "", ""):
            return replace(options, beams=1)
        case ("beams", "=", number) if beams := plain_number(number):
            return replace(options, beams=beams)
        case ("scored", "", ""):
            return replace(options, decoding="scored")
        case ("bf16" | "tf32" as precision, "", ""):
            return replace(options, precision=precision)
        case _:
            return replace(options, model=other)


def _said(task: Task, modes: Sequence[ModeInput], progress: Progress) -> list[ComparedAnswer]:
    prompts = task.prompts_of(modes)
    answers: dict[int, ModelAnswer] = {}
    for place, answer in filter(None, task.answerer.answers(prompts)):
        answers[place] = answer
        progress(len(answers) / len(prompts))
    return [
        ComparedAnswer(answer.text, task.mode.read(answer.text, mode_input, task.order.unreadable).grade, answer.margin)
        for mode_input, answer in zip(modes, map(answers.__getitem__, range(len(prompts))), strict=True)
    ]


def _stored(store: Store, task: Task, grader: str) -> dict[int, ComparedAnswer]:
    """What a grader of the collection made of the task's items, by their places."""
    rows = store.snapshot(task.order.collection).query(
        "SELECT question_id, query_id, doc_id, answer, grade FROM grades WHERE grader_id = ?", [grader]
    )
    rows = rows.astype(object).where(rows.notna(), None)
    known = {
        (row.question_id, row.query_id, row.doc_id): ComparedAnswer(row.answer, row.grade) for row in rows.itertuples()
    }
    names = [tuple(_named(task, place).values()) for place in range(len(task))]
    return {place: known[name] for place, name in enumerate(names) if name in known}


def _named(task: Task, place: int) -> dict[str, str | None]:
    question = task.work.questions["question_id"].iat[task.work.question[place]]
    pair = task.work.pair[place]
    return {
        "question_id": question if isinstance(question, str) else None,
        "query_id": task.work.pairs["query_id"].iat[pair],
        "doc_id": task.work.pairs["doc_id"].iat[pair],
    }
