"""Files of reviews and queues: Label Studio, CSV and JSON.

Of each annotation the answer is the one result of type choices, rating or number, or the one of these that is named
`answer`; a choice is a number, or a text that begins with one (`2: highly relevant`). Texts of a textarea are the note.
The task's `data` has the item, by the names that CSV has. An annotation that was cancelled is skipped; one
without an answer is not reviewed yet. The reviewer is an e-mail address, or a number where there is none.

Source: https://labelstud.io/guide/task_format

The columns are those of the table `reviews`; only item, reviewer and answer are needed. Cells are written as
`csv_cells` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import visible
from exam_core.formats.csv_cells import cell_of, csv_lines, text_of
from exam_core.formats.delimited import columns_of, has_columns, table_rows, with_point
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, decode_object, objects, reporting
from exam_core.formats.reading import Reading
from exam_core.formats.records import labelled_records, refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews import review_rows
from exam_core.wings.reviews.queue import ItemTexts, Queue
from exam_core.wings.reviews.review import IDS, REVIEWS, Review

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
    """Read the annotations of Label Studio's JSON export; `reviewer` is the annotator where the file names none.

    Raises BadInput where a task names no item, or an annotation has no answer that can be read.
    """
    rows = review_rows.ReviewRows(path, reviewer, _REMEDY)
    others = 0
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a task of Label Studio", _REMEDY):
            task, _ = decode_object(raw, _TASK)
            for annotation in task.annotations:
                others += sum(
                    fields.get("type") not in (*review_rows.CONTROLS, "textarea") for fields in annotation.result
                )
                _take(rows, line, task, annotation)
            rows.open += not task.annotations
    left_out = [f"{others:,} results that are not choices, rating, number or text were left out."] if others else []
    return rows.reading(*left_out)


def _take(rows: review_rows.ReviewRows, line: int, task: _Task, annotation: _Annotation) -> None:
    where = f"task {task.id}: " if isinstance(task.id, int) else ""
    fields = {name: value for name, value in review_rows.renamed(task.data).items() if name in _OF_THE_TASK}
    person = annotation.completed_by
    if isinstance(person, dict):
        person = person.get("email") or person.get("id")
    is_named = isinstance(person, str | int) and not isinstance(person, bool) and str(person).strip()
    notes = [
        review_rows.texts_of(result.get("value")) for result in annotation.result if result.get("type") == "textarea"
    ]
    fields |= {"reviewer": str(person) if is_named else None, "note": review_rows.texts_of(notes)}
    fields |= {"created": annotation.created_at, "seconds": annotation.lead_time}
    ids = {"task": task.id, "annotation": annotation.id}
    known = {name: value for name, value in ids.items() if value is not None}
    fields["extra"] = {"label_studio": known} if known else None
    try:
        fields |= {"skipped": CANCELLED} if annotation.was_cancelled else {"answer": _answer(annotation.result)}
    except review_rows.BadCell as error:
        rows.problems.add(line, f"{where}{error}", remedy=error.remedy, cause=error.cause)
        return
    rows.add(line, fields, where)


_OF_THE_TASK = frozenset(
    "query_id doc_id question_id task queue_id sampler seed drawn stratum probability instruction shown".split()
)


def _answer(results: Sequence[Mapping[str, Any]]) -> Any:
    """Return the answer among results; None where there is none, BadCell where there are several."""
    answers = [result for result in results if result.get("type") in review_rows.CONTROLS]
    answers = [answer for answer in answers if answer.get("from_name") == "answer"] or answers
    if len(answers) > 1:
        names = ", ".join(str(answer.get("from_name")) for answer in answers)
        remedy = "Name the control of the answer `answer`, in the labelling configuration or in the file."
        raise review_rows.BadCell(f"{len(answers)} answers ({names[:80]})", remedy=remedy, cause="several answers")
    value = answers[0].get("value") if answers else None
    return review_rows.annotation_answer(value.get(str(answers[0]["type"]))) if isinstance(value, dict) else None


def _fits(opening: Opening) -> bool:
    """Return whether these are annotations, or tasks as we write them, which nobody has annotated yet."""
    names = opening.names
    return ("annotations" in names and bool(names & _SIGNS)) or {"data", "queue_id"} <= names


_SIGNS = {"data", "completed_by", "was_cancelled", "lead_time", "result"}


LONGEST_TEXT = 30_000
"""Characters of a text; a cell of a spreadsheet holds 32,767."""
_TEXTS = {"query_id": "query_text", "question_id": "question_text", "doc_id": "passage_text"}
_ANSWERED = ("answer", "skipped", "note")
_DRAWN = ("queue_id", "sampler", "seed", "drawn", "stratum", "probability", "instruction")
Row = dict[str, Any]


def write_queue(queue: Queue, texts: Sequence[ItemTexts], form: str) -> list[bytes]:
    """Return the lines of a queue's file, its items in their order with these texts: csv, jsonl, or labelstudio."""
    task, columns = queue.task, [text for name, text in _TEXTS.items() if name in IDS[queue.task]]
    rows = []
    for item, item_texts in zip(queue.items, texts, strict=True):
        ids = {name: getattr(item, name) for name in IDS[task]}
        words = {name: _shown(getattr(item_texts, name)) for name in columns}
        rows.append({"task": task, **ids, **words, "shared": item.shared, **queue.design(item)})
    if form == "csv":
        header = [*columns, *_ANSWERED, "reviewer", "shared", "task", *IDS[task], *_DRAWN]
        return csv_lines(header, ({name: cell_of(value) for name, value in row.items()} for row in rows))
    if form == "jsonl":
        # Fields of a review stand first, since a file is recognised by how its lines begin.
        order = ["task", *IDS[task], *_ANSWERED, "reviewer", "shared", *_DRAWN, *columns]
        return [msgspec.json.encode({name: row.get(name) for name in order}) for row in rows]
    # Tasks of Label Studio: their `data` are the rows, with an empty text where there is none.
    tasks = [{"data": {name: "" if value is None else value for name, value in row.items()}} for row in rows]
    return [b"[", *(msgspec.json.encode(task) + (b"," if task is not tasks[-1] else b"") for task in tasks), b"]"]


def _shown(text: str) -> str:
    """Return a text as every table takes it: control characters as escapes, and no longer than a cell."""
    text = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} [...]"


_DECIMALS = ("seconds", "probability", "answer")
_ABOUT = {"doc_id", "question_id"}
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def read_reviews(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read reviews, or rows of a queue in which people filled in the empty column `answer`.

    `reviewer` is the reviewer where a row names none. Raises BadInput where a needed column is missing, a cell has an
    impossible value, or an id occurs again with another review.
    """
    rows, opening = review_rows.ReviewRows(path, reviewer), Opening(path)
    refuse_texts_for_ids(opening, review_rows.COLUMNS)
    if not opening.is_json:
        for row in table_rows(path, review_rows.COLUMNS, rows.problems, progress, needed=("query_id", "answer")):
            if not _ABOUT & set(row.cells):
                what = f"no column for {' or '.join(sorted(_ABOUT))}"
                remedy = "Name the columns in the first line, in any order."
                rows.problems.add(1, what, ", ".join(row.cells)[:160], remedy)
                break
            cells = {name: text_of(cell) for name, cell in row.cells.items()}
            decimals = {name: with_point(cell, row.separator) for name in _DECIMALS if (cell := cells.get(name))}
            rows.add(row.line, cells | decimals)
        return rows.reading()
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a review", review_rows.REMEDY):
            for record in labelled_records(decode_object(raw, _OBJECT)[0]):
                fields = review_rows.renamed(record)
                if not fields.keys() & {"answer", "skipped"}:
                    raise BadLine("neither answer nor skipped")
                rows.add(line, fields)
    return rows.reading()


def write_csv(reviews: Iterable[Review]) -> list[bytes]:
    """Return reviews as the lines of a CSV file; `read_reviews` reads the same."""
    rows = ({name: cell_of(getattr(review, name)) for name in REVIEWS.names} for review in reviews)
    return csv_lines(REVIEWS.names, rows)


def write_json(reviews: Iterable[Review]) -> list[bytes]:
    """Return reviews as JSON lines; `read_reviews` reads the same."""
    return [msgspec.json.encode(review) for review in reviews]


def _fits_table(opening: Opening) -> bool:
    # Judgments of several people are written alike, and are no reviews unless somebody says so.
    names = {**review_rows.COLUMNS, review_rows.ANNOTATION: (), "reviewer": ()}
    groups = (("query_id",), ("answer",), review_rows.SIGNS_OF_REVIEWS, _ABOUT)
    return all(any(has_columns(opening, names, name) for name in group) for group in groups)


def _fits_json(opening: Opening) -> bool:
    # Labels of a model are called as answers of Label Studio are, which its number of an annotation tells apart.
    names, fields = opening.objects, columns_of([*opening.objects], review_rows.COLUMNS).keys()
    answered = review_rows.ANNOTATION in names or names & {"answer", "skipped"}
    return bool(names & {*review_rows.SIGNS_OF_REVIEWS} and answered and "query_id" in fields and fields & _ABOUT)


FORMS: dict[str, Callable[[Iterable[Review]], list[bytes]]] = {"csv": write_csv, "jsonl": write_json}
"""Writers of reviews by form."""


ROWS = (
    Format(
        kind=review_rows.KIND,
        written="Label Studio",
        looks="annotations of Label Studio",
        # Before reviews as JSON, which its data can look like.
        order=3,
        fits=_fits,
        read=read_label_studio,
    ),
    # Before banks and answers: a queue has texts of questions beside their ids, and answers.
    Format(kind=review_rows.KIND, written="JSON lines", looks="reviews", order=4, fits=_fits_json, read=read_reviews),
    Format(
        kind=review_rows.KIND,
        written="CSV",
        looks="a table of reviews",
        order=27,
        fits=_fits_table,
        read=read_reviews,
        explains=("table", "text"),
    ),
)
