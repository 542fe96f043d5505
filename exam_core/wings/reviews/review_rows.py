"""Rows of a file of reviews: the checks of each field.

A row names the item (query, passage, question), and has its answer. A row without an answer and without a
reason for that is not reviewed yet: it is counted, and left out. A missing id is a hash of all of the row, so that
reading it again makes the same one. A missing time is `UNKNOWN_TIME`: the time of the reading would make
another review each time.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.csv_cells import SIGNS, about_left_out, sign_of
from exam_core.formats.delimited import DOC_ID, PERSON, QUERY_ID, TEXTS_OR_IDS, columns_of, folded, is_text
from exam_core.formats.extra import TooDeep, check_depth, decode_extra, encode_extra
from exam_core.formats.format import Kind
from exam_core.formats.label_words import about_words, number_before, numbers_of
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import Reading, Rows, fault_of_id
from exam_core.people import LONGEST_NOTE
from exam_core.tables import UNKNOWN_TIME
from exam_core.wings.reviews.review import IDS, REVIEWS, SCALES, TASKS, Task
from exam_core.wording import counted

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LARGEST = 2**31 - 1
CONTROLS = ("choices", "rating", "number")
"""The controls of Label Studio that ask for an answer."""


class BadCell(ValueError):  # noqa: N818
    """A field with an impossible value.

    An empty `remedy` stands for the needed fields of a review; `cause` is the same for all rows with the same fault.
    """

    def __init__(self, what: str, *, remedy: str = "", cause: str = "") -> None:
        super().__init__(what)
        self.remedy, self.cause = remedy, cause or what


def name(field: str, value: Any) -> str | None:
    """Return an id or a name; None where there is none."""
    if value is None or value == "":
        return None
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadCell(f"{field} is not text")
    text = str(value)
    if fault := fault_of_id(text):
        raise BadCell(f"{field} {fault}: {visible(text, line_ends=False)[:60]}", cause=f"{field} {fault}")
    return text


def plain_text(field: str, value: Any) -> str | None:
    """Return a text of any characters; None where there is none."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadCell(f"{field} is not text")
    if len(value) > LONGEST_NOTE:
        raise BadCell(f"{field} is longer than {LONGEST_NOTE:,} characters", remedy="Shorten it.")
    return value


def flag(field: str, value: Any) -> bool | None:
    """Return yes or no; None where the value is empty."""
    if value is None or value == "":
        return None
    known = _FLAGS.get(str(value).strip().lower())
    if known is None:
        raise BadCell(f"{field} {_shown(value)} is neither true nor false", cause=f"{field} is neither true nor false")
    return known


def number(
    field: str, value: Any, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float | None:
    """Return a finite number within bounds; None where there is none."""
    if value is None or value == "":
        return None
    is_number = isinstance(value, str | int | float) and not isinstance(value, bool)
    parsed = as_number(str(value).strip()) if is_number else None
    if parsed is None:
        raise BadCell(f"{field} {_shown(value)} is not a number", cause=f"{field} is not a number")
    if parsed < least or parsed <= above or parsed > most:
        low = f"above {above:g}" if above > -math.inf else f"{least:g} or more"
        bounds = low + (f", {most:g} at most" if most < math.inf else "")
        raise BadCell(f"{field} is {_shown(value)}", remedy=f"A {field} is {bounds}.", cause=f"{field} out of bounds")
    return parsed


def whole_number(field: str, cell: Any, *, least: int = -_LARGEST) -> int | None:
    """Return a whole number, also one that a table writes as 2.0; None where there is none."""
    parsed = number(field, cell)
    if parsed is None:
        return None
    if parsed != int(parsed) or not least <= parsed <= _LARGEST:
        what = f"{field} {_shown(cell)} is not a whole number"
        raise BadCell(f"{what} from {least}" if least >= 0 else what, cause=f"{field} is not a whole number")
    return int(parsed)


def time(value: Any) -> str | None:
    """Return a time as reviews have it, in UTC to the millisecond; without a zone it is taken for UTC."""
    if value is None or value == "":
        return None
    try:
        parsed = dt.datetime.fromisoformat(str(value).strip())
        parsed = parsed if parsed.tzinfo else parsed.replace(tzinfo=dt.UTC)
        return parsed.astimezone(dt.UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        remedy = "Write it as 2026-01-31T12:00:00Z, or leave it empty."
        raise BadCell(f"created {_shown(value)} is not a time", remedy=remedy, cause="created is not a time") from None


def annotation_answer(value: Any) -> Any:
    """Return the answer of an annotation, as any export of Label Studio has it; None where there is none.

    It stands alone, in a list, or under the name of its control: `2`, `"2: high"`, `["2"]`, `{"choices": ["2"]}`,
    `[{"rating": 2}]`; a table has such values as JSON. A choice is a number, or a text that begins with one. Raises
    BadCell where there are several answers, or something else.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    answers = {str(answer): answer for answer in _answers(value)}
    if len(answers) > 1:
        what = f"{len(answers)} different answers ({', '.join(map(_shown, answers))[:80]}) where one is the answer"
        remedy = 'Keep the one that counts, and let the tool take one (Label Studio: choice="single").'
        raise BadCell(what, remedy=remedy, cause="several answers")
    return next(iter(answers.values()), None)


def texts_of(value: Any) -> Any:
    """Return the texts of a text area of Label Studio, `["a", "b"]` or `{"text": ["a", "b"]}`, as lines of one."""
    texts = value.get("text") if isinstance(value, dict) else value
    if not isinstance(texts, list):
        return texts
    return "\n".join(part for part in texts if isinstance(part, str)) or None


def _answers(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, list) and depth < len(CONTROLS):
        for item in value:
            yield from _answers(item, depth + 1)
    elif isinstance(value, dict) and depth < len(CONTROLS) and (known := [name for name in CONTROLS if name in value]):
        for name in known:
            yield from _answers(value[name], depth + 1)
    elif isinstance(value, list | dict):
        what = f"answer {_shown(json.dumps(value, ensure_ascii=False))} is not a choice, rating or number"
        raise BadCell(what, cause="an answer of another kind")
    elif value is not None and value != "":
        number = number_before(value.strip()) if isinstance(value, str) else None
        yield value if number is None else str(number)


def _shown(value: Any) -> str:
    return visible(str(value), line_ends=False)[:40]


ANNOTATION = "annotation_id"
"""A column of each row of Label Studio's CSV and JSON-MIN, and of no other file."""
SIGNS_OF_REVIEWS = ("task", "reviewer", "review_id", "queue_id", ANNOTATION)
"""Columns that a table of judgments never has."""
BESIDE = ("query_text", "question_text", "passage_text", "shared")
"""Fields of a queue's file for people; they are no part of a review."""
COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*REVIEWS.names, *BESIDE), ()),
    **SIGNS,
    **{"reviewer": PERSON, "query_id": QUERY_ID, "doc_id": DOC_ID},
    # An answer of Label Studio has the name of the control that asked for it.
    **{"answer": ("relevance", "grade", "rating", "choice", "label", "labels")},
    **{"created": ("created_at",), "seconds": ("lead_time",)},
}
"""The columns of a review's file, with other names that files have for them."""
REMEDY = (
    "A review names its reviewer and its task (relevance, grade or question), with query_id, doc_id and question_id "
    "as the task needs them. It has an answer, or a reason under skipped."
)
_SCALE_REMEDY = (
    "Answers are whole numbers: relevance 0 to 3 (what NIST judged below 0 is 0), grade 0 to 5, question 0 (no) or 1. "
    "Words about relevance are read where all have a known order, such as not relevant, relevant, highly relevant."
)
_WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_ID = 32


@dataclass
class ReviewRows:
    """Reviews, while their file is read.

    `reviewer` is the reviewer where a row names none; `remedy` is for a row that does not name its item.
    """

    path: Path
    reviewer: str | None = None
    remedy: str = REMEDY
    problems: Problems = field(init=False)
    rows: Rows = field(init=False)
    answers: list[tuple[int, dict[str, Any], str]] = field(default_factory=list)
    words: dict[str, int] = field(default_factory=dict)
    open: int = 0
    timeless: int = 0
    noted: int = 0
    left: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.problems = Problems(self.path)
        self.rows = Rows(REVIEWS, self.problems)

    def add(self, line: int, fields: Mapping[str, Any], where: str = "") -> None:
        """Add a row by our names, if it counts; `reading` raises its faults, in front of which `where` stands."""
        if sign := sign_of(fields):
            self.left[sign] += 1
        else:
            self.answers.append((line, dict(fields), where))

    def _add(self, line: int, record: dict[str, Any]) -> None:
        fields = _ours(record)
        if _blank(fields.get("answer")) and _blank(fields.get("skipped")):
            self.open += 1
            self.noted += not _blank(fields.get("note"))
            return
        values = self._values(fields)
        values["extra"] = _extra(fields.get("extra"), record)
        content = [values.get(column) for column in REVIEWS.names if column != "review_id"]
        made = hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:_ID]
        values["review_id"] = name("review_id", fields.get("review_id")) or made
        self.timeless += values["created"] == UNKNOWN_TIME
        self.rows.add(line, *(values.get(column) for column in REVIEWS.names))

    def _values(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns but `review_id` and `extra`, checked."""
        ids = {key: name(key, fields.get(key)) for key in ("reviewer", "query_id", "doc_id", "question_id", "queue_id")}
        ids["reviewer"] = ids["reviewer"] or self.reviewer
        for key in ("reviewer", "query_id"):
            if ids[key] is None:
                remedy = "Name the reviewer in a column reviewer, or for the whole file (--reviewer NAME)."
                raise BadCell(f"{key} is missing", remedy=remedy if key == "reviewer" else "")
        task = _task(fields.get("task"), ids)
        value = fields.get("answer")
        value = self.words.get(str(value).strip(), value) if task == "relevance" else value
        answer = None if _blank(value) else _answer(task, value)
        texts = {key: plain_text(key, fields.get(key)) for key in ("skipped", "note", "instruction", "stratum")}
        if answer is not None and texts["skipped"] is not None:
            raise BadCell("an answer, and a reason why there is none", remedy="Empty answer or skipped.")
        return {
            **ids,
            **texts,
            "created": time(fields.get("created")) or UNKNOWN_TIME,
            "task": task,
            "answer": answer,
            "shown": flag("shown", fields.get("shown")) or False,
            "seconds": number("seconds", fields.get("seconds"), least=0.0),
            "sampler": name("sampler", fields.get("sampler")),
            "seed": whole_number("seed", fields.get("seed"), least=0),
            "drawn": whole_number("drawn", fields.get("drawn"), least=1),
            "probability": number("probability", fields.get("probability"), above=0.0, most=1.0),
        }

    def reading(self, *notes: str) -> Reading:
        """Return the reviews, with notes. Raises BadInput where a row is wrong, or contradicts another one."""
        answers = []  # about passages, whose words have grades
        for _, row, _ in self.answers:
            with suppress(BadCell):
                fields = _ours(row)
                answers += [] if _blank(fields.get("answer")) or fields.get("question_id") else [fields["answer"]]
        self.words = numbers_of(str(answer).strip() for answer in answers)
        for line, row, where in self.answers:
            try:
                self._add(line, row)
            except BadCell as error:
                cells = ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)
                cells = visible(cells).replace("\n", " ")[:110]
                remedy = error.remedy or self.remedy
                self.problems.add(line, f"{where}{error}", cells, remedy, cause=error.cause)
        frame, merged = self.rows.frame("review")
        self.problems.raise_if_any()
        sentences = [f"Repeated reviews that were merged: {counted({'reviews': merged})}."] if merged else []
        sentences += about_left_out(self.left) + about_words(self.words)
        if self.open:
            beside = f"; a note, which is not stored, is beside {self.noted:,} of them" if self.noted else ""
            rows = counted({"rows": self.open})
            sentences.append(f"Not reviewed yet (neither an answer nor a reason why): {rows}{beside}.")
        if self.timeless:
            sentences.append(
                f"Without a time: {counted({'reviews': self.timeless})}. A review of the same item with a time "
                "counts instead; of two without, the one that was imported later."
            )
        counts = {"reviewers": int(frame["reviewer"].nunique()), "reviews": len(frame)}
        return Reading({"reviews": frame}, counts=counts, notes=[*sentences, *notes])


def renamed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object by our names: ids and people by the first name that has one, and an answer even if empty."""
    known = [
        name
        for name, value in record.items()
        if folded(name) == "answer"
        or not (_blank(value) or (folded(name) in TEXTS_OR_IDS and isinstance(value, str) and is_text(value)))
    ]
    ours = {known[place]: field for field, place in columns_of(known, COLUMNS).items()}
    fields = {ours.get(name, name): value for name, value in record.items() if name in ours or name not in COLUMNS}
    return {name: value for name, value in record.items() if name in COLUMNS and name not in fields} | fields


def _ours(record: Mapping[str, Any]) -> dict[str, Any]:
    fields = dict(record)
    if ANNOTATION in fields or isinstance(fields.get("answer"), list):
        fields |= {name: read(fields.get(name)) for name, read in (("answer", annotation_answer), ("note", texts_of))}
    return fields


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _task(value: Any, ids: Mapping[str, str | None]) -> Task:
    """Return the task that a row names, or else the one of its ids; BadCell where ids and task don't fit."""
    known = [name for name in ("query_id", "doc_id", "question_id") if ids[name] is not None]
    if value is None:
        task = next((task for task, about in IDS.items() if [*about] == known), None)
    else:
        task = next((task for task in TASKS if task == str(value).strip().lower()), None)
    if task is None:
        raise BadCell(
            f"task {visible(str(value))[:40]} is unknown" if value is not None else "no doc_id, no question_id"
        )
    for what in ("doc_id", "question_id"):
        if what in IDS[task] and what not in known:
            raise BadCell(f"{what} is missing, which the task {task} needs")
        if what in known and what not in IDS[task]:
            raise BadCell(f"a {what}, which the task {task} is not about", remedy="Leave it empty.")
    return task


def _answer(task: Task, value: Any) -> int:
    scale = SCALES[task]
    if isinstance(value, str) and (choice := number_before(value.strip())) is not None:
        value = choice
    if task == "question" and isinstance(value, str | bool) and str(value).strip().lower() in _WORDS:
        return _WORDS[str(value).strip().lower()]
    try:
        answer = whole_number("answer", value)
    except BadCell:
        answer = None
    if answer is None or answer not in scale:
        what = f"answer {_shown(value)} is not one of {scale[0]} to {scale[-1]}"
        raise BadCell(what, remedy=_SCALE_REMEDY, cause="an answer off the scale")
    return answer


def _extra(extra: Any, fields: Mapping[str, Any]) -> str | None:
    """Return the column `extra`: the file's own, with fields under names that are not ours."""
    known = {*REVIEWS.names, *BESIDE}
    others = {key: value for key, value in fields.items() if key not in known and not _blank(value)}
    try:
        if _blank(extra):
            return encode_extra(others)
        text = extra if isinstance(extra, str) else msgspec.json.encode(extra).decode()
        value = msgspec.json.decode(text)
        if not isinstance(value, dict):
            raise BadCell("extra is not a JSON object")
        check_depth(value)
        return encode_extra(decode_extra(text) | others) if others else text
    except TooDeep as error:
        raise BadCell(str(error), remedy="Leave that field out.") from None
    except (msgspec.MsgspecError, RecursionError):
        raise BadCell("extra is not a JSON object") from None


KIND = Kind(
    key="reviews",
    noun="Reviews",
    order=70,
    main="reviews",
    template="""\
reviewer,task,query_id,doc_id,answer
ann,relevance,q1,d1,3
ann,relevance,q1,d2,0
bob,relevance,q2,d3,2
""",
    option="reviewer",
    name="Name of the reviewer, where the file has none",
    unnamed="Most files name the reviewer in every row.",
    columns={
        **{"query": ("query_id",), "doc": ("doc_id",), "question": ("question_id",)},
        **{name: (name,) for name in ("reviewer", "task", "answer", "created", "seconds")},
    },
)
