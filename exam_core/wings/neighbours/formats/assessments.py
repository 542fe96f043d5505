"""Assessments of whole responses: what a judge said of each question, answer or criterion, in words or numbers.

As a table, a row for each response and question, as TREC DRAGUN writes it:

    topic_id,run_tag,answer_id,auto_assessment,auto_rationale

or as JSON lines, a response with a list of criteria that have weights, as participants of TREC RAG 2026 do (the reader
of nugget assignments hands these on):

    {"qid": "1", "run_id": "a", "answer_text": "...", "criteria": [{"text": "...", "weight": -3, "verdict": "met"}]}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from exam_core.formats.banks.kind import AVOID, CLAIM
from exam_core.formats.delimited import DOC_ID, QUERY_TEXT, RUN_ID, Row
from exam_core.formats.format import Format, Opening
from exam_core.formats.label_words import about_words, numbers_of
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.reading import Reading
from exam_core.formats.records import fields_of, record_rows
from exam_core.progress import Progress, no_progress
from exam_core.tables import id_of_digest
from exam_core.wings.neighbours.formats.assigned import (
    ASSIGNED,
    ASSIGNMENTS,
    BANK_ID,
    GRADER_ID,
    AssignedAnswers,
    contradicts,
)

NAMES = {
    "query_id": ("query_id", "topic_id", "qid", "narrative_id", "request_id", "topic"),
    "run_id": RUN_ID,
    "question_id": ("question_id", "answer_id", "nugget_id", "criterion_id", "rubric_id"),
    "question_text": ("question_text", "criterion", "nugget", "nugget_text", "question", "claim", "text"),
    "label": tuple("auto_assessment assessment assignment verdict label grade judgment rating score".split()),
    "weight": ("weight", "points"),
    "answer_text": ("answer_text", "response", "report"),
    "query_text": QUERY_TEXT,
}
"""The fields, each with the names that files have for it."""
NEEDED = ("query_id", "run_id", "label")
_SUPPORT = ("none no_support", "partial partially partial_supports", "supports supported full full_support")
_MET = ("not_satisfied unsatisfied not_met unmet no false absent fail", "satisfied met yes true present pass passed")
_HALVES = ("0 0.0", "0.5", "1 1.0")


def _levels(*words: str) -> dict[str, int]:
    return {word: level for level, alike in enumerate(words) for word in alike.split()}


SCALES: tuple[Mapping[str, int], ...] = ({**ASSIGNED, **_levels(*_SUPPORT)}, _levels(*_MET), _levels(*_HALVES))
"""What words and halves stand for; a file is read by the first of these that has most of its labels."""


def read_assessments(
    path: Path,
    *,
    bank_id: str = BANK_ID,
    grader_id: str = GRADER_ID,
    run_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read assessments as `read_assignments` reads its files: a response is one passage, whose text may be unknown.

    A question is known by its id, or by its words. A criterion of negative weight is one to avoid, and counts. Grades
    are those of `SCALES`, whole numbers as they are, or those of words whose order is known; what contradicts is 0.

    Raises BadInput where a row lacks an id or a label, is said again in other words, or `run_id` is given to a file of
    several runs.
    """
    found = AssignedAnswers(path, bank_id, grader_id, run_id)
    needed = [name for name in NEEDED if name != "run_id" or run_id is None]
    rows = list(record_rows(path, NAMES, found.problems, progress, needed=needed))
    grades, scale, notes = _grades(dict.fromkeys(row.of("label") for row in rows))
    copies = Counter[tuple[str, str, str]]()
    for row in rows:
        run, query_id = run_id or row.of("run_id"), row.of("query_id")
        found.runs |= {row.of("run_id")} - {""}
        question_id, words, weight = row.of("question_id"), row.of("question_text"), _weight(row)
        if lack := _lack(run, query_id, question_id or words, weight):
            found.problems.add(row.line, lack, remedy="Each row names a query, a run, and a question or its words.")
            continue
        if not question_id:
            copies[run, query_id, words] += 1
            again = copies[run, query_id, words]
            question_id = id_of_digest(query_id, words) + (f"#{again}" if again > 1 else "")
        columns = {"question_id": question_id, "question_text": words or None, "kind": CLAIM, "weight": abs(weight)}
        if math.copysign(1, weight) < 0:
            columns |= {"importance": AVOID, "enabled": True}
        found.bank.question(row.line, query_id, columns)
        found.answer(row.line, run, (query_id, row.of("query_text") or None), row.of("answer_text") or None)
        label = row.of("label") or None
        found.grade(row.line, run, query_id, question_id, grades.get(label or ""), label)
    return found.reading(grades, scale, notes)


def _lack(run: str, query_id: str, question: str, weight: float) -> str:
    """What a row lacks; empty where it lacks nothing."""
    named = {"query": query_id, "run": run, "question": question}
    lacks = [f"no {what}" for what, name in named.items() if not name]
    return ", ".join(lacks) or ("" if math.isfinite(weight) else "a weight that is no number")


def _weight(row: Row) -> float:
    """The weight of a row's question, 1 where none is said; NaN where it is no number."""
    said = row.number("weight")
    number = as_number(said) if said else 1.0
    return math.nan if number is None else float(number)


def _folded(label: str) -> str:
    return label.lower().replace(" ", "_").replace("-", "_")


def _grades(labels: Iterable[str]) -> tuple[dict[str, int], int | None, list[str]]:
    """The grade of each label that can be read, the highest grade there is, None if nobody says, and notes on words."""
    against = {label: 0 for label in labels if contradicts(label)}
    others = [label for label in labels if label and label not in against]
    by_scale = [{one: scale[_folded(one)] for one in others if _folded(one) in scale} for scale in SCALES]
    best = max(by_scale, key=len, default={})
    whole = {label: number for label in others if (number := as_whole(label)) is not None}
    if len(whole) == len(others):
        return against | whole, None, []
    if best:
        return against | best, max(SCALES[by_scale.index(best)].values()), about_words(against | best)
    numbers = numbers_of(others)
    return against | numbers, max(numbers.values(), default=None), about_words(numbers)


def _is_table(opening: Opening) -> bool:
    there = set() if opening.is_json else {*fields_of(opening, {**NAMES, "doc_id": DOC_ID})}
    return {*NEEDED} <= there and "doc_id" not in there and bool({"question_id", "question_text"} & there)


ROWS = (
    Format(
        kind=ASSIGNMENTS,
        written="table",
        looks="assessments of responses",
        # Before tables of grades and of scores, which have a passage, or no question.
        order=26,
        fits=_is_table,
        read=read_assessments,
        explains=("table", "text"),
    ),
)
