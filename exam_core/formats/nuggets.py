"""AutoNuggetizer's files: nuggets as a question bank, and what an assigner made of them in answers.

Labels in real files are dirty: a model was asked, and whatever it said was written down. What is known is read, and
everything else is kept as it is and counted.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core.errors import Problems, visible
from exam_core.formats.banks import BANK
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.json_lines import BadLine, add_bad_line, decode_line
from exam_core.formats.lines import numbered_lines
from exam_core.formats.reading import Reading, Rows
from exam_core.formats.workbench import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, PASSAGES, QUERIES, QUESTIONS, RANKINGS

BANK_ID, GRADER_ID = "nuggets", "nuggetizer"
"""What the bank and the grader of assignments are called where nobody names them."""
VITAL, OKAY, AVOID = "vital", "okay", "avoid"
ASSIGNED = {"support": 2, "partial_support": 1, "not_support": 0}
"""The grade of an assigner's label. Any other label can't be read, but for those of `contradicts`."""
ABOUT = {
    "kind": "exam",
    "slot": "exam_grades",
    "item": "question",
    "rated": True,
    "scale": max(ASSIGNED.values()),
    "llm": "as its file has it",
    "prompt_info": {"prompt_class": "nugget_assignment", "is_self_rated": True},
}
_LISTED = 5
_NUGGETS_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "query": "...", '
    '"nuggets": [{"text": "...", "importance": "vital"}]}.'
)
_ASSIGNED_REMEDY = (
    'A line is one JSON object such as {"qid": "q1", "run_id": "my-system", "answer_text": "...", '
    '"nuggets": [{"text": "...", "importance": "vital", "assignment": "support"}]}.'
)


def contradicts(label: str | None) -> bool:
    """Whether a label says that the answer contradicts the nugget, in whichever form of the word."""
    return label is not None and label.strip().lower().startswith("contradict")


def grade_of(label: str | None) -> int | None:
    """The grade of an assigner's label: 0 too where the answer contradicts the nugget; None where it can't be read."""
    return 0 if contradicts(label) else ASSIGNED.get((label or "").strip().lower())


class _Nugget(msgspec.Struct):
    text: str
    importance: str | None = None
    assignment: str | None = None


class _Line(msgspec.Struct):
    qid: str | int
    nuggets: list[_Nugget]
    query: str | None = None


class _AssignedLine(_Line, kw_only=True):
    answer_text: str
    run_id: str | int | None = None


_NUGGET_FIELDS, _ASSIGNED_FIELDS = set(_Nugget.__struct_fields__), set(_AssignedLine.__struct_fields__)


def read_nuggets(path: Path, *, bank_id: str, progress: Progress = no_progress) -> Reading:
    """Read nuggets as a question bank: the nugget is the question, its id `<query_id>/<md5 of the text>`.

    A text that a query has more than once stays that often, as `...#2` and so on: each copy counts in the scores.
    Importances other than vital, okay and avoid are kept as they are; nuggets to avoid are switched off. Notes count
    all of these.

    Raises
    ------
    BadInput : a line is no such object, a nugget has no text, or a query occurs again
    """
    problems, rows = Problems(path), _BankRows(bank_id)
    typed, plain = msgspec.json.Decoder(_Line), msgspec.json.Decoder()
    first: dict[str, int] = {}
    for number, raw in numbered_lines(path, progress):
        try:
            line, untyped = decode_line(raw, typed, plain)
        except BadLine as error:
            add_bad_line(problems, number, raw, error, "nuggets of a query", _NUGGETS_REMEDY)
            continue
        query_id = str(line.qid)
        if query_id in first:
            what = f"second line of query {query_id}; the first is line {first[query_id]}"
            problems.add(number, what, remedy="Put the query's nuggets into one line.", cause="second line of a query")
            continue
        first[query_id] = number
        rows.add(number, line, untyped, problems)
    frames = rows.frames(problems)
    problems.raise_if_any()
    counts = {"queries": len(frames["queries"]), "questions": len(frames["questions"])}
    return Reading(frames, counts=counts, notes=_importance_notes(frames["questions"]))


def read_assignments(
    path: Path,
    *,
    bank_id: str = BANK_ID,
    grader_id: str = GRADER_ID,
    run_id: str | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read assignments: answers as passages, nuggets as a bank, and what the assigner said of each as a grade.

    The answer of a run to a query is the passage `<run_id>/<query_id>`, first and only one of its ranking. The grade
    is that of `grade_of`, the label as it was written its answer.

    Parameters
    ----------
    run_id : of all lines; None takes each line's own

    Raises
    ------
    BadInput : a line is no such object, names no run, has an empty answer, or is the second one of a run and query
    """
    problems, found = Problems(path), _Assigned(_BankRows(bank_id), grader_id)
    typed, plain = msgspec.json.Decoder(_AssignedLine), msgspec.json.Decoder()
    first: dict[tuple[str, str], int] = {}
    for number, raw in numbered_lines(path, progress):
        try:
            line, untyped = decode_line(raw, typed, plain)
        except BadLine as error:
            add_bad_line(problems, number, raw, error, "assignments of an answer", _ASSIGNED_REMEDY)
            continue
        run = run_id if run_id is not None else None if line.run_id is None else str(line.run_id)
        if run is None:
            problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        elif (key := (run, str(line.qid))) in first:
            problems.add(
                number,
                f"second answer of run {run} to query {key[1]}; the first is in line {first[key]}",
                remedy="Keep one of them, or give the runs different names.",
                cause="second answer of a run to a query",
            )
        elif not line.answer_text.strip():
            problems.add(number, "an empty answer_text", remedy="Leave the line out: a run without an answer scores 0.")
        else:
            first[key] = number
            found.add(number, run, line, untyped, problems)
    frames = found.frames(problems)
    problems.raise_if_any()
    counts = {
        "runs": frames["rankings"]["run_id"].nunique(),
        "queries": len(frames["queries"]),
        "answers": len(frames["rankings"]),
        "questions": len(frames["questions"]),
        "grades": len(frames["grades"]),
    }
    notes = [*_label_notes(frames["grades"]), *_importance_notes(frames["questions"])]
    return Reading(frames, {grader_id: ABOUT} if len(frames["grades"]) else {}, counts, notes)


@dataclass
class _BankRows:
    """Nuggets as rows of a bank, and their queries; what several runs say alike is kept once."""

    bank_id: str
    said: set[tuple[Any, ...]] = field(default_factory=set)
    queries: Rows = field(default_factory=lambda: Rows(QUERIES))
    questions: Rows = field(default_factory=lambda: Rows(QUESTIONS))

    def add(
        self, number: int, line: _Line, untyped: Mapping[str, Any], problems: Problems
    ) -> Iterator[tuple[str, _Nugget]]:
        """Take a line's query and nuggets; gives the nuggets with their ids, or none where one can't be taken."""
        query_id = str(line.qid)
        if any(not nugget.text.strip() for nugget in line.nuggets):
            problems.add(number, "a nugget without text", query_id, "Leave the nugget out, or write what it says.")
            return iter(())
        self._add(self.queries, number, query_id, line.query or None)
        ids = _ids(query_id, line.nuggets)
        for question_id, nugget, raw in zip(ids, line.nuggets, untyped["nuggets"], strict=True):
            beyond = {name: value for name, value in raw.items() if name not in _NUGGET_FIELDS and value is not None}
            try:
                extra = encode_extra(beyond)
            except TooDeep as error:
                problems.add(number, str(error), query_id, "Leave that field out.")
                continue
            enabled = nugget.importance != AVOID
            row = (question_id, query_id, None, None, nugget.text, None, 1.0, enabled, nugget.importance, extra)
            self._add(self.questions, number, self.bank_id, 1, *row)
        return zip(ids, line.nuggets, strict=True)

    def _add(self, rows: Rows, number: int, *row: Any) -> None:
        if row not in self.said:
            self.said.add(row)
            rows.add(number, *row)

    def frames(self, problems: Problems) -> dict[str, pd.DataFrame]:
        """The bank and its queries; what contradicts itself goes to `problems`."""
        return {
            "queries": self.queries.frame(problems, "text")[0],
            "questions": self.questions.frame(problems, "nugget")[0],
        }


def _ids(query_id: str, nuggets: Iterable[_Nugget]) -> list[str]:
    """An id for each nugget. Copies of a text count on, the vital ones first, in whichever order a file has them."""
    nuggets = list(nuggets)
    order = {VITAL: 0, OKAY: 1}
    copies: Counter[str] = Counter()
    ids = [""] * len(nuggets)
    by_importance = sorted(enumerate(nuggets), key=lambda pair: order.get(pair[1].importance or VITAL, 2))
    for place, nugget in by_importance:
        copies[nugget.text] += 1
        digest = hashlib.md5(nugget.text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        number = copies[nugget.text]
        ids[place] = f"{query_id}/{digest}" if number == 1 else f"{query_id}/{digest}#{number}"
    return ids


@dataclass
class _Assigned:
    """Assigned answers as rows of all tables."""

    bank: _BankRows
    grader_id: str
    passages: Rows = field(default_factory=lambda: Rows(PASSAGES))
    rankings: Rows = field(default_factory=lambda: Rows(RANKINGS))
    grades: Rows = field(default_factory=lambda: Rows(GRADES))

    def add(self, number: int, run: str, line: _AssignedLine, untyped: Mapping[str, Any], problems: Problems) -> None:
        """Take the answer of a run to a query."""
        query_id = str(line.qid)
        doc_id = f"{run}/{query_id}"
        beyond = {name: value for name, value in untyped.items() if name not in _ASSIGNED_FIELDS and value is not None}
        try:
            extra = encode_extra(beyond)
        except TooDeep as error:
            problems.add(number, str(error), query_id, "Leave that field out.")
            return
        self.passages.add(number, doc_id, line.answer_text, text_hash(line.answer_text))
        self.rankings.add(number, run, query_id, doc_id, 1, 1, -1.0, False, extra)
        for question_id, nugget in self.bank.add(number, line, untyped, problems):
            label = nugget.assignment
            self.grades.add(number, self.grader_id, question_id, query_id, doc_id, grade_of(label), label)

    def frames(self, problems: Problems) -> dict[str, pd.DataFrame]:
        """All tables."""
        return {
            **self.bank.frames(problems),
            "passages": self.passages.frame(problems, "answer")[0],
            "rankings": self.rankings.frame(problems, "answer")[0],
            "grades": self.grades.frame(problems, "assignment")[0],
        }


def _label_notes(grades: pd.DataFrame) -> list[str]:
    """Notes on labels that are none of the three."""
    labels = grades["answer"].astype(object).where(grades["answer"].notna(), None)
    against = labels.map(contradicts).astype(bool)
    unread = labels[grades["grade"].isna()]
    notes = []
    if len(unread):
        notes.append(
            f"{len(unread):,} labels are none of {', '.join(ASSIGNED)} ({_most(unread)}): they are kept as they are "
            "and count as not found."
        )
    if against.any():
        notes.append(f"{int(against.sum()):,} nuggets are contradicted: they count as not found.")
    return notes


def _importance_notes(questions: pd.DataFrame) -> list[str]:
    """Notes on importances beyond vital and okay, and on texts that occur more than once."""
    importance = questions["importance"].astype(object).where(questions["importance"].notna(), None)
    other = importance[~importance.isin([VITAL, OKAY, AVOID, None])]
    avoid = int((importance == AVOID).sum())
    copies = int(questions["question_id"].str.contains(r"/[0-9a-f]{32}#\d+$", regex=True).sum())
    notes = []
    if len(other):
        notes.append(
            f"{len(other):,} nuggets are neither {VITAL} nor {OKAY} ({_most(other)}): they count where all nuggets do."
        )
    if avoid:
        notes.append(f"{avoid:,} nuggets are to be avoided: they are switched off, and reported apart.")
    if copies:
        notes.append(f"{copies:,} nuggets repeat a text of their query: each copy counts, under an id that ends in #2.")
    return notes


def _most(labels: pd.Series) -> str:
    """The most frequent labels with their counts, `failed` 10; an empty one is empty, a missing one none."""
    counts = Counter("none" if label is None else visible(label, line_ends=False)[:40] or "empty" for label in labels)
    listed = ", ".join(f"{label} {count:,}" for label, count in counts.most_common(_LISTED))
    return listed + (f" and {len(counts) - _LISTED:,} others" if len(counts) > _LISTED else "")


def _are_assignments(opening: Opening) -> bool:
    fields = opening.fields
    return "qid" in fields and ("answer_text" in fields or {"nuggets", "assignment"} <= fields)


def _are_nuggets(opening: Opening) -> bool:
    return {"qid", "nuggets"} <= opening.fields and not _are_assignments(opening)


def _fits(opening: Opening) -> bool:
    return "nugget_bank" in opening.fields


ASSIGNMENTS = Kind(key="assignments", noun="Nugget assignments", order=85, main="grades", uploaded=False)
NUGGETS = Kind(key="nuggets", noun="Nuggets", order=90, main="questions", uploaded=False, imported=False)
ROWS = (
    Format(
        kind=ASSIGNMENTS,
        written="AutoNuggetizer's JSON lines",
        looks="nugget assignments",
        order=10,
        fits=_are_assignments,
        read=read_assignments,
    ),
    Format(
        kind=BANK,
        written="AutoNuggetizer's JSON lines",
        looks="AutoNuggetizer's nuggets",
        order=20,
        fits=_are_nuggets,
        read=read_nuggets,
    ),
    Format(kind=NUGGETS, written="JSON lines", looks="a nugget bank", order=25, fits=_fits, read=None),
)
