"""How often two graders differ on the same prompts: what another precision, search or program costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exam_core.actions.grading import Order, Task
from exam_core.errors import UsageError
from exam_core.grading.asking import Answer
from exam_core.grading.options import Options
from exam_core.progress import Progress, no_progress, part_of
from exam_core.store import Store

NEAR_TIE = 1e-4
"""Two answers whose scores are nearer than this can change places by rounding alone."""
EXAMPLES = 20
OTHERS = ("greedy", "scored", "bf16", "tf32", "ctranslate2", "int8", "beams=N")


@dataclass(frozen=True)
class Difference:
    """One prompt that two graders answer differently."""

    question_id: str | None
    query_id: str
    doc_id: str
    answers: tuple[str | None, str | None]
    grades: tuple[int | None, int | None]
    margin: float | None


def compare(
    store: Store, order: Order, other: str, *, sample: int = 200, progress: Progress = no_progress
) -> dict[str, Any]:
    """Ask a sample of what a grader would be asked, both ways.

    Parameters
    ----------
    other : one of `OTHERS`, or the name of a model
    sample : prompts, spread over all that there are; nothing is stored

    Returns
    -------
    graders, sample, how many answers and grades differ and by how much, near ties of the first, and examples
    """
    whole = replace(order, name="(compared)", limit=None)
    tasks = [Task(store, whole), Task(store, replace(whole, options=changed(order.options, other)))]
    if not len(tasks[0]):
        raise UsageError(f"There is nothing to compare on in {order.collection}: no passage has a text.")
    places = np.unique(np.linspace(0, len(tasks[0]) - 1, sample).astype(int))
    asked = [tasks[0].asked(slice(place, place + 1))[0] for place in places]
    told: list[list[Answer]] = []
    for number, task in enumerate(tasks):
        prompts = [task.mode.prompt(one) for one in asked]
        answers: dict[int, Answer] = {}
        for place, answer in task.answerer.answers(prompts):
            answers[place] = answer
            part_of(progress, number, 2)(len(answers) / len(prompts))
        told.append([answers[place] for place in range(len(prompts))])
    work, mode = tasks[0].work, tasks[0].mode
    grades = [
        [
            None if a.text is None or mode.verifier == "llm" else mode.read(a.text, one, order.unreadable).grade
            for a, one in zip(answers, asked, strict=True)
        ]
        for answers in told
    ]
    differ = [
        Difference(
            work.questions["question_id"].iloc[work.question[place]],
            work.pairs["query_id"].iloc[work.pair[place]],
            work.pairs["doc_id"].iloc[work.pair[place]],
            (told[0][row].text, told[1][row].text),
            (grades[0][row], grades[1][row]),
            told[0][row].margin,
        )
        for row, place in enumerate(places)
        if told[0][row].text != told[1][row].text
    ]
    steps = Counter(
        abs(one.grades[0] - one.grades[1]) for one in differ if one.grades[0] is not None and one.grades[1] is not None
    )
    return {
        "collection": order.collection,
        "graders": [task.answerer.about for task in tasks],
        "sample": len(places),
        "answers_differ": len(differ),
        "grades_differ": sum(one.grades[0] != one.grades[1] for one in differ),
        "by_how_much": {str(step): count for step, count in sorted(steps.items()) if step},
        "near_ties": sum(answer.margin is not None and answer.margin < NEAR_TIE for answer in told[0]),
        "examples": differ[:EXAMPLES],
    }


def changed(options: Options, other: str) -> Options:
    """The options with what `other` names changed; any other word is a model."""
    match other.partition("="):
        case ("greedy", "", ""):
            return replace(options, beams=1)
        case ("beams", "=", number) if number.isdigit() and int(number) > 0:
            return replace(options, beams=int(number))
        case ("scored", "", ""):
            return replace(options, decoding="scored")
        case ("bf16" | "tf32" as precision, "", ""):
            return replace(options, precision=precision)
        case ("ctranslate2", "", ""):
            return replace(options, backend="ctranslate2")
        case ("int8", "", ""):
            return replace(options, backend="ctranslate2", precision="int8")
        case _:
            return replace(options, model=other)
