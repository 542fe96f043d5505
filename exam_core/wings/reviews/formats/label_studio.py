"""Reviews that were made in Label Studio: its JSON export in; the tasks of a queue out.

Of each annotation the answer is the one result of type choices, rating or number, or the one of these that is named
`answer`; a choice is a number, or a text that begins with one (`2: highly relevant`). Texts of a textarea are the note.
What was asked stands in the task's `data`, by the names that CSV has. An annotation that was cancelled is skipped; one
without an answer is not reviewed yet. Who reviewed is their e-mail address, or their number where there is none.

Source: https://labelstud.io/guide/task_format
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.documents import decode_object, objects
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews.formats.review_fields import CONTROLS, BadCell, chosen, texts_of
from exam_core.wings.reviews.formats.review_rows import KIND, ReviewRows, renamed

CANCELLED = "skipped in Label Studio"
_NAMES = {"query_id": ("qid", "topic_id"), "doc_id": ("docid", "docno", "passage_id", "paragraph_id", "pid")}
_WANTED = "; ".join(f"{ours} (or {', '.join(names)})" for ours, names in _NAMES.items())
_REMEDY = (
    "Export the project as JSON, JSON-MIN or CSV. Data of its tasks (in JSON under data, beside the annotations) name "
    f"what was asked: {_WANTED}; question_id; task."
)


class _Annotation(msgspec.Struct):
    result: list[dict[str, Any]] = []
    was_cancelled: bool | None = None
    completed_by: Any = None
    created_at: str | None = None
    lead_time: float | None = None
    id: Any = None


class _Task(msgspec.Struct):
    data: dict[str, Any]
    annotations: list[_Annotation]
    id: Any = None


_TASK = msgspec.json.Decoder(_Task)


def read_label_studio(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read the annotations of Label Studio's JSON export.

    Raises BadInput where a task does not say what was asked, or an annotation has no answer that can be read.

    Parameters
    ----------
    reviewer : who annotated where the file does not say it
    """
    rows = ReviewRows(path, reviewer, _REMEDY)
    others = 0
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a task of Label Studio", _REMEDY):
            task, _ = decode_object(raw, _TASK)
            for annotation in task.annotations:
                others += sum(one.get("type") not in (*CONTROLS, "textarea") for one in annotation.result)
                _take(rows, line, task, annotation)
            rows.open += not task.annotations
    marks = f"{others:,} results that are not choices, rating, number or text were left out."
    return rows.reading(*([marks] if others else []))


def _take(rows: ReviewRows, line: int, task: _Task, annotation: _Annotation) -> None:
    where = f"task {task.id}: " if isinstance(task.id, int) else ""
    said = {name: value for name, value in renamed(task.data).items() if name in _OF_THE_TASK}
    said |= {"reviewer": _reviewer(annotation.completed_by)}
    said |= {"created": annotation.created_at, "seconds": annotation.lead_time, "note": _note(annotation.result)}
    ids = {"task": task.id, "annotation": annotation.id}
    known = {name: value for name, value in ids.items() if value is not None}
    said["extra"] = {"label_studio": known} if known else None
    try:
        said |= {"skipped": CANCELLED} if annotation.was_cancelled else {"answer": _answer(annotation.result)}
    except BadCell as error:
        rows.problems.add(line, f"{where}{error}", remedy=error.remedy, cause=error.cause)
        return
    rows.add(line, said, where)


_OF_THE_TASK = frozenset(
    "query_id doc_id question_id task queue_id sampler seed drawn stratum probability instruction shown".split()
)


def _reviewer(who: Any) -> str | None:
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return str(who) if isinstance(who, str | int) and not isinstance(who, bool) and str(who).strip() else None


def _note(results: Iterable[Mapping[str, Any]]) -> str | None:
    return texts_of([texts_of(one.get("value")) for one in results if one.get("type") == "textarea"])


def _value(result: Mapping[str, Any], name: str) -> Any:
    value = result.get("value")
    return value.get(name) if isinstance(value, dict) else None


def _answer(results: Sequence[Mapping[str, Any]]) -> Any:
    """The one answer among results; None where there is none."""
    found = [one for one in results if one.get("type") in CONTROLS]
    named = [one for one in found if one.get("from_name") == "answer"]
    found = named or found
    if len(found) > 1:
        names = ", ".join(str(one.get("from_name")) for one in found)
        remedy = "Name the control of the answer `answer`, in the labelling configuration or in the file."
        raise BadCell(f"{len(found)} answers ({names[:80]})", remedy=remedy, cause="several answers")
    return chosen(_value(found[0], str(found[0]["type"]))) if found else None


def write_tasks(rows: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Tasks for Label Studio: their `data` are the rows, with an empty text where there is none."""
    tasks = [{"data": {name: "" if value is None else value for name, value in row.items()}} for row in rows]
    return [b"[", *(msgspec.json.encode(task) + (b"," if task is not tasks[-1] else b"") for task in tasks), b"]"]


def _fits(opening: Opening) -> bool:
    """Annotations; or tasks as we write them, which nobody has annotated yet."""
    names = opening.names
    return ("annotations" in names and bool(names & _SIGNS)) or {"data", "queue_id"} <= names


_SIGNS = {"data", "completed_by", "was_cancelled", "lead_time", "result"}
ROWS = (
    Format(
        kind=KIND,
        written="Label Studio",
        looks="annotations of Label Studio",
        # Before reviews as JSON, which its data can look like.
        order=3,
        fits=_fits,
        read=read_label_studio,
    ),
)
