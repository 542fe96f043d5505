"""Reviews on their way from a file to a frame: what every format of reviews does alike.

A row says what was asked (query, passage, question), and what was answered. A row without an answer and without a
reason why is not reviewed yet: it is counted, and left out. An id that is missing is made of all that the row says, so
that reading it again makes the same one. A time that is missing is `UNKNOWN_TIME`: the time of the reading would make
another review each time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.delimited import DOC_ID, PERSON, QUERY_ID, TEXTS_OR_IDS, columns_of, folded, is_text
from exam_core.formats.extra import TooDeep, check_depth, decode_extra, encode_extra
from exam_core.formats.format import Kind
from exam_core.formats.label_words import about_words, number_before, numbers_of
from exam_core.formats.reading import Reading, Rows
from exam_core.formats.signs import SIGNS, about_left_out, sign_of
from exam_core.tables import UNKNOWN_TIME
from exam_core.wings.reviews.formats.review_fields import (
    BadCell,
    chosen,
    flag,
    name,
    number,
    plain_text,
    texts_of,
    time,
    whole_number,
)
from exam_core.wings.reviews.review import IDS, SCALES, TASKS, Task
from exam_core.wings.reviews.tables import REVIEWS
from exam_core.wording import counted

ANNOTATION = "annotation_id"
"""What each row of Label Studio's CSV and JSON-MIN has, and no other file."""
SIGNS_OF_REVIEWS = ("task", "reviewer", "review_id", "queue_id", ANNOTATION)
"""Columns of which a table of judgments has none."""
BESIDE = ("query_text", "question_text", "passage_text", "shared")
"""What a file of a queue says for people; it is no part of a review."""
COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*REVIEWS.names, *BESIDE), ()),
    **SIGNS,
    **{"reviewer": PERSON, "query_id": QUERY_ID, "doc_id": DOC_ID},
    # An answer of Label Studio has the name of the control that asked for it.
    **{"answer": ("relevance", "grade", "rating", "choice", "label", "labels")},
    **{"created": ("created_at",), "seconds": ("lead_time",)},
}
"""What a review's file has, with other names that files have for it."""
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

    Parameters
    ----------
    reviewer : who reviewed where a row does not say it
    remedy : what to do about a row that does not say what was asked
    """

    path: Path
    reviewer: str | None = None
    remedy: str = REMEDY
    problems: Problems = field(init=False)
    rows: Rows = field(default_factory=lambda: Rows(REVIEWS))
    said: list[tuple[int, dict[str, Any], str]] = field(default_factory=list)
    words: dict[str, int] = field(default_factory=dict)
    open: int = 0
    timeless: int = 0
    noted: int = 0
    left: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.problems = Problems(self.path)

    def add(self, line: int, said: Mapping[str, Any], where: str = "") -> None:
        """Take what a row says by our names, if it counts; `reading` says what is wrong with it.

        Parameters
        ----------
        where : which part of the line it is, in front of what is said of it
        """
        sign = sign_of(said)
        if sign:
            self.left[sign] += 1
        else:
            self.said.append((line, dict(said), where))

    def _words(self) -> dict[str, int]:
        """What the words stand for that answer about passages."""
        answers = []
        for _, said, _ in self.said:
            with suppress(BadCell):
                found = _ours(said)
                answers += [] if _blank(found.get("answer")) or found.get("question_id") else [found["answer"]]
        return numbers_of(str(one).strip() for one in answers)

    def _take(self, line: int, said: dict[str, Any], where: str) -> None:
        try:
            self._add(line, said)
        except BadCell as error:
            value = visible(", ".join(f"{key} {value}" for key, value in said.items() if value is not None))
            what = f"{where}{error}"
            self.problems.add(
                line, what, value.replace("\n", " ")[:110], error.remedy or self.remedy, cause=error.cause
            )

    def _add(self, line: int, said: dict[str, Any]) -> None:
        found = _ours(said)
        if _blank(found.get("answer")) and _blank(found.get("skipped")):
            self.open += 1
            self.noted += not _blank(found.get("note"))
            return
        values = self._values(found)
        values["extra"] = _extra(found.get("extra"), said)
        content = [values.get(column) for column in REVIEWS.names if column != "review_id"]
        made = hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:_ID]
        values["review_id"] = name("review_id", found.get("review_id")) or made
        self.timeless += values["created"] == UNKNOWN_TIME
        self.rows.add(line, *(values.get(column) for column in REVIEWS.names))

    def _values(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The columns but `review_id` and `extra`, checked."""
        ids = {key: name(key, found.get(key)) for key in ("reviewer", "query_id", "doc_id", "question_id", "queue_id")}
        ids["reviewer"] = ids["reviewer"] or self.reviewer
        for key in ("reviewer", "query_id"):
            if ids[key] is None:
                remedy = "Name the reviewer in a column reviewer, or for the whole file (--reviewer NAME)."
                raise BadCell(f"{key} is missing", remedy=remedy if key == "reviewer" else "")
        task = _task(found.get("task"), ids)
        said = found.get("answer")
        said = self.words.get(str(said).strip(), said) if task == "relevance" else said
        answer = None if _blank(said) else _answer(task, said)
        texts = {key: plain_text(key, found.get(key)) for key in ("skipped", "note", "instruction", "stratum")}
        if answer is not None and texts["skipped"] is not None:
            raise BadCell("an answer, and a reason why there is none", remedy="Empty answer or skipped.")
        return {
            **ids,
            **texts,
            "created": time(found.get("created")) or UNKNOWN_TIME,
            "task": task,
            "answer": answer,
            "shown": flag("shown", found.get("shown")) or False,
            "seconds": number("seconds", found.get("seconds"), least=0.0),
            "sampler": name("sampler", found.get("sampler")),
            "seed": whole_number("seed", found.get("seed"), least=0),
            "drawn": whole_number("drawn", found.get("drawn"), least=1),
            "probability": number("probability", found.get("probability"), above=0.0, most=1.0),
        }

    def reading(self, *notes: str) -> Reading:
        """The reviews, with what a user should hear.

        Raises BadInput where a row is wrong, or contradicts another one.
        """
        self.words = self._words()
        for line, row, where in self.said:
            self._take(line, row, where)
        frame, merged = self.rows.frame(self.problems, "review")
        self.problems.raise_if_any()
        said = [f"Repeated reviews that were merged: {counted({'reviews': merged})}."] if merged else []
        said += about_left_out(self.left) + about_words(self.words)
        if self.open:
            beside = f"; a note, which is not stored, is beside {self.noted:,} of them" if self.noted else ""
            rows = counted({"rows": self.open})
            said.append(f"Not reviewed yet (neither an answer nor a reason why): {rows}{beside}.")
        if self.timeless:
            said.append(
                f"Without a time: {counted({'reviews': self.timeless})}. A review of the same item with a time "
                "counts instead; of two without, the one that was imported later."
            )
        counts = {"reviewers": int(frame["reviewer"].nunique()), "reviews": len(frame)}
        return Reading({"reviews": frame}, counts=counts, notes=[*said, *notes])


def renamed(said: Mapping[str, Any]) -> dict[str, Any]:
    """What an object says by our names: ids and people by the first name that has one, and an answer even if empty."""
    there = [
        name
        for name, value in said.items()
        if folded(name) == "answer"
        or not (_blank(value) or (folded(name) in TEXTS_OR_IDS and isinstance(value, str) and is_text(value)))
    ]
    ours = {there[place]: field for field, place in columns_of(there, COLUMNS).items()}
    found = {ours.get(name, name): value for name, value in said.items() if name in ours or name not in COLUMNS}
    return {name: value for name, value in said.items() if name in COLUMNS and name not in found} | found


def _ours(said: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(said)
    if ANNOTATION in found or isinstance(found.get("answer"), list):
        found |= {name: read(found.get(name)) for name, read in (("answer", chosen), ("note", texts_of))}
    return found


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _task(value: Any, ids: Mapping[str, str | None]) -> Task:
    """The task that a row names, or else the one that asks about what it names; one that doesn't fit is refused."""
    there = [name for name in ("query_id", "doc_id", "question_id") if ids[name] is not None]
    if value is None:
        found = next((task for task, about in IDS.items() if [*about] == there), None)
    else:
        found = next((task for task in TASKS if task == str(value).strip().lower()), None)
    if found is None:
        raise BadCell(
            f"task {visible(str(value))[:40]} is unknown" if value is not None else "no doc_id, no question_id"
        )
    for what in ("doc_id", "question_id"):
        if what in IDS[found] and what not in there:
            raise BadCell(f"{what} is missing, which the task {found} needs")
        if what in there and what not in IDS[found]:
            raise BadCell(f"a {what}, which the task {found} is not about", remedy="Leave it empty.")
    return found


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
        shown = visible(str(value), line_ends=False)[:40]
        what = f"answer {shown} is not one of {scale[0]} to {scale[-1]}"
        raise BadCell(what, remedy=_SCALE_REMEDY, cause="an answer off the scale")
    return answer


def _extra(told: Any, said: Mapping[str, Any]) -> str | None:
    """The column `extra`: as the file has it, with what it says under names that are not ours."""
    known = {*REVIEWS.names, *BESIDE}
    others = {key: value for key, value in said.items() if key not in known and not _blank(value)}
    try:
        if _blank(told):
            return encode_extra(others)
        text = told if isinstance(told, str) else msgspec.json.encode(told).decode()
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
        **{one: (one,) for one in ("reviewer", "task", "answer", "created", "seconds")},
    },
)
