"""AutoNuggetizer's assignments: what an assigner made of a query's nuggets in answers.

Labels in real files are dirty: a model was asked, and whatever it said was written down. What is known is read, and
everything else is kept as it is and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems
from exam_core.formats.banks.nuggetizer import NuggetLine, add_nuggets
from exam_core.formats.banks.rows import as_text, beyond
from exam_core.formats.documents import objects
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import WIDTH, Format, Opening
from exam_core.formats.json_lines import decode_line, reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wings.neighbours.formats.assessments import read_assessments
from exam_core.wings.neighbours.formats.assigned import (
    ASSIGNED,
    ASSIGNMENTS,
    BANK_ID,
    GRADER_ID,
    AssignedAnswers,
    contradicts,
)

_ASSIGNED_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "run_id": "my-system", "answer_text": "...", '
    '"nuggets": [{"text": "...", "importance": "vital", "assignment": "support"}]}.'
)


def grade_of(label: str | None) -> int | None:
    """The grade of an assigner's label: 0 too where the answer contradicts the nugget; None where it can't be read."""
    return 0 if contradicts(label) else ASSIGNED.get((label or "").strip().lower())


class _AssignedLine(NuggetLine, kw_only=True):
    answer_text: str
    run_id: str | int | None = None


_ASSIGNED_FIELDS = set(_AssignedLine.__struct_fields__)


def read_assignments(
    path: Path,
    *,
    bank_id: str = BANK_ID,
    grader_id: str = GRADER_ID,
    run_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read assignments: answers as passages, nuggets as a bank, and what the assigner said of each as a grade.

    The grade is that of `grade_of`, the label as it was written its answer.

    Raises BadInput where a line is no such object, names no run, has an empty answer, or is the second one of a run and
    query; or `run_id` is given to a file of several runs.

    Parameters
    ----------
    run_id : of all lines; None takes each line's own
    """
    if _has_criteria(path):
        return read_assessments(path, bank_id=bank_id, grader_id=grader_id, run_id=run_id, progress=progress)
    found = AssignedAnswers(path, bank_id, grader_id, run_id)
    typed, plain = msgspec.json.Decoder(_AssignedLine), msgspec.json.Decoder()
    taken: set[tuple[str, str | None]] = set()  # nuggets that a run before has, too
    for number, raw in objects(path, found.problems, progress):
        with reporting(found.problems, number, raw, "assignments of an answer", _ASSIGNED_REMEDY):
            _add(found, number, *decode_line(raw, typed, plain), taken)
    return found.reading(ASSIGNED, max(ASSIGNED.values()))


def _add(
    found: AssignedAnswers,
    number: int,
    line: _AssignedLine,
    untyped: Mapping[str, Any],
    taken: set[tuple[str, str | None]],
) -> None:
    """Take the answer of a run to a query, with its nuggets."""
    own, query_id, problems = as_text(line.run_id), str(line.qid), found.problems
    found.runs |= set() if own is None else {own}
    run = own if found.run_id is None else found.run_id
    if run is None:
        problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        return
    if first := found.lines.get((run, query_id)):
        what = f"second answer of run {run} to query {query_id}; the first is in line {first}"
        remedy = "Keep one of them, or give the runs different names."
        problems.add(number, what, remedy=remedy, cause="second answer of a run to a query")
        return
    if not line.answer_text.strip():
        problems.add(number, "an empty answer_text", remedy="Leave the line out: a run without an answer scores 0.")
        return
    try:
        extra = encode_extra(beyond(untyped, _ASSIGNED_FIELDS))
    except TooDeep as error:
        problems.add(number, str(error), query_id, "Leave that field out.")
        return
    found.answer(number, run, (query_id, line.query or None), line.answer_text, extra)
    for question_id, nugget in add_nuggets(found.bank, number, line, untyped, taken):
        label = nugget.assignment
        found.grade(number, run, query_id, question_id, grade_of(label), label)


def _has_criteria(path: Path) -> bool:
    """Whether the first line has criteria in the place of nuggets, perhaps behind a long answer."""
    _, raw = next(iter(objects(path, Problems(path))), (0, b""))
    return b'"criteria"' in raw and b'"nuggets"' not in raw


def _are_assignments(opening: Opening) -> bool:
    fields = opening.fields
    has_nuggets = bool({"nuggets", "criteria"} & fields) or len(opening.text) >= WIDTH  # behind a long answer
    return "qid" in fields and has_nuggets and bool(fields & {"answer_text", "assignment"})


ROWS = (
    Format(
        kind=ASSIGNMENTS,
        written="AutoNuggetizer's JSON lines",
        looks="nugget assignments",
        order=10,
        fits=_are_assignments,
        read=read_assignments,
    ),
)
