"""Grades by question as a table with a header, or as JSON objects: one for each passage, question and grader.

The columns are `query_id`, `doc_id`, `question_id` and `grade`, under the names that people write. A column named
`question` or `passage` has ids or texts: the first row says which. A text of a question without an id gets the id that
the authors' would. Texts, graders, their answers, and places of passages in runs are taken where columns have them.
A wide table has a row for each passage and a column for each question, named by the question's id or text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.delimited import (
    DOC_ID,
    QUERY_ID,
    QUERY_TEXT,
    RUN_ID,
    Names,
    Row,
    columns_of,
)
from exam_core.formats.file_names import name_of_file
from exam_core.formats.format import Format, Opening
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.reading import Reading, Rows
from exam_core.formats.records import first_records, record_rows
from exam_core.formats.trec import trec_rank
from exam_core.formats.trec_faults import FAILED
from exam_core.formats.workbench.graded_lines import WORKBENCH
from exam_core.formats.workbench.graded_rows import text_hash
from exam_core.progress import Progress, no_progress
from exam_core.tables import GRADES, LARGEST_GRADE, PASSAGES, POOL, QUERIES, QUESTIONS, RANKINGS, question_id
from exam_core.wording import counted, unguarded

BANK_ID = "questions"
"""What the bank of graded questions is called where neither somebody nor the collection names it."""
NAMES = {
    "query_id": QUERY_ID,
    "doc_id": DOC_ID,
    "question_id": ("nugget_id", "item_id", "criterion_id", "question_no", "question_number", "nugget_no"),
    "grade": ("rating", "self_rating", "score", "label", "relevance", "rel", "points", "answered"),
    "grader": ("grader_id", "grading_mode", "judge", "llm", "model", "rater"),
    "answer": (),
    "query_text": QUERY_TEXT,
    "question_text": ("exam_question", "question", "nugget_text", "nugget", "claim", "criterion"),
    "passage_text": ("text", "passage", "paragraph", "contents", "content", "segment"),
    "run_id": RUN_ID,
    "rank": (),
}
_NEEDED = ("query_id", "doc_id", "question_id", "grade")
_OF_REVIEWS = dict.fromkeys(("reviewer", "annotator", "assessor", "task", "review_id", "queue_id"), ())
_ENDS = (1, 2, 3, 5)
_WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_IS_TEXT = re.compile(r"\s|[?？؟]$")
_ASKED = re.compile(r"\S\s+\S.*\s\S|[?？؟]$|/|^(?:q|question|nugget|criterion|claim|item)[\s_-]*\d+$", re.IGNORECASE)
"""What a column of a wide table is called: a question's text, or an id that looks like one."""
_REMEDY = "Each row names a query, a passage, a question and a grade. Complete the row, or remove it."
_GRADE_REMEDY = (
    f"Grades are whole numbers from 0 to {LARGEST_GRADE}. Leave the cell empty where a grade could not be read."
)


def read_csv(
    path: Path, *, bank_id: str | None = None, grader_id: str | None = None, progress: Progress = no_progress
) -> Reading:
    """Read rows of grades; an empty grade could not be read.

    Raises BadInput where a column is missing, a row lacks an id or has another grade than a number, or a key has two
    grades.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions form; by default `BANK_ID`
    grader_id : name of the only grader; by default as the column says, or as the file is called
    """
    opening, table = Opening(path), _Table(Problems(path), bank_id or BANK_ID)
    header = _header(opening)
    names = _names(path, header)
    found, wide = columns_of(header, names), _wide(header, names)
    needed = ["question_text" if name == "question_id" and _asks_by_text(found) else name for name in _NEEDED]
    if "grader" not in found:
        table.grader = grader_id or name_of_file(path)
    rows = record_rows(path, names, table.problems, progress, needed=_NEEDED[:2] if wide else needed)
    for row in rows:
        for one in _asked(row, wide) if wide else (row,):
            table.add(one)
    reading = table.reading()
    if grader_id and "grader" in found:
        _name_grader(path, reading, grader_id)
    elif not grader_id and table.grader:
        reading.notes.append(f"No column names a grader, so it has the file's name: {table.grader}.")
    reading.notes += _about_scales(reading.graders)
    return reading


def _asks_by_text(found: Collection[str]) -> bool:
    return "question_id" not in found and "question_text" in found


def _header(opening: Opening) -> list[str]:
    """Names of columns, or of the first object's fields."""
    return first_records(opening, NAMES)[0]


def _names(path: Path, header: Sequence[str]) -> Names:
    """`NAMES` for a file: a column `passage` has ids where no other one has and its first cell is a word."""
    found = columns_of(header, NAMES)
    if "doc_id" in found or "passage_text" not in found or Opening(path).is_json:
        return NAMES
    first = next(record_rows(path, NAMES, Problems(path)), Row(0, {})).of("passage_text")
    return {**NAMES, "doc_id": NAMES["passage_text"]} if first and not _IS_TEXT.search(first) else NAMES


def _wide(header: Sequence[str], names: Names) -> dict[str, str]:
    """By name of a column in lower case, the questions of a wide table; none of another table."""
    found = columns_of(header, names)
    rest = [name.strip() for place, name in enumerate(header) if place not in found.values() and name.strip()]
    is_wide = {"query_id", "doc_id"} <= set(found) and not {"question_id", "question_text", "grade"} & set(found)
    return {name.lower(): name for name in rest} if is_wide and rest and all(map(_ASKED.search, rest)) else {}


def _asked(row: Row, wide: Mapping[str, str]) -> Iterator[Row]:
    """A wide table's row as one for each question that has a grade."""
    kept = {name: cell for name, cell in row.cells.items() if name not in wide}
    for name, question in wide.items():
        if grade := row.of(name):
            yield Row(row.line, {**kept, "question_text": question, "grade": grade}, row.separator)


@dataclass
class _TextsById:
    """Texts by id: an id has one, which not all of its rows need to say."""

    what: str
    problems: Problems
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    texts: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(self, line: int, key: tuple[str, ...], text: str) -> None:
        """Take what a row says of an id; empty: nothing."""
        self.lines.setdefault(key, line)
        if text and self.texts.setdefault(key, text) != text:
            what = f"{self.what} {key[0]} has another text than on an earlier line"
            self.problems.add(line, what, text, "One id stands for one text: correct the text, or give it another id.")


@dataclass
class _Table:
    """A table of grades while it is read.

    Parameters
    ----------
    grader : of all rows; empty where a column says it
    has_texts : whether the column of questions holds texts alone; None as long as no row was read
    """

    problems: Problems
    bank_id: str
    grader: str = ""
    has_texts: bool | None = None
    left_out: list[str] = field(default_factory=list)
    grades: Rows = field(default_factory=lambda: Rows(GRADES))
    rankings: Rows = field(default_factory=lambda: Rows(RANKINGS))
    pool: Rows = field(default_factory=lambda: Rows(POOL))
    places: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.queries, self.questions, self.passages = (
            _TextsById(what, self.problems) for what in ("query", "question", "passage")
        )

    def add(self, row: Row) -> None:
        """Take a row."""
        if self.has_texts is None:
            self._look_at_columns(row)
        query_id, doc_id, grader = row.of("query_id"), row.of("doc_id"), self.grader or row.of("grader")
        asked, text = self._question(row, query_id)
        said = {"query": query_id, "passage": doc_id, "question": asked, "grader": grader}
        said_grade = row.number("grade").lower()
        grade = _WORDS.get(said_grade, as_whole(said_grade))
        if missing := [what for what, value in said.items() if not value]:
            self._refuse(row, f"no {' and no '.join(missing)}", _REMEDY)
        elif said_grade not in FAILED and (grade is None or not 0 <= grade <= LARGEST_GRADE):
            self._refuse(row, f"grade {row.of('grade')}", _GRADE_REMEDY, cause="grade")
        else:
            self.queries.add(row.line, (query_id,), unguarded(row.of("query_text")))
            self.questions.add(row.line, (asked, query_id), text)
            self.passages.add(row.line, (doc_id,), unguarded(row.of("passage_text")))
            self.pool.add(row.line, query_id, doc_id, self.places.setdefault((query_id, doc_id), len(self.places)))
            self.grades.add(row.line, grader, asked, query_id, doc_id, grade, unguarded(row.of("answer")) or None)
            if row.of("run_id") and row.of("rank"):
                self._add_place(row, query_id, doc_id)

    def _look_at_columns(self, row: Row) -> None:
        places = {"run_id", "rank"} & row.cells.keys()
        kept = NAMES.keys() - (places if len(places) == 1 else set())
        self.left_out = [name for name in row.cells if name not in kept]
        self.has_texts = _asks_by_text(row.cells) and bool(_IS_TEXT.search(row.of("question_text")))

    def _refuse(self, row: Row, what: str, remedy: str, cause: str = "") -> None:
        self.problems.add(row.line, what, ", ".join(row.cells.values()), remedy, cause=cause)

    def _question(self, row: Row, query_id: str) -> tuple[str, str]:
        """Id and text of a row's question; the text may be empty."""
        text = unguarded(row.of("question_text"))
        if "question_id" in row.cells:
            return row.of("question_id"), text
        if self.has_texts:
            return question_id(query_id, text) if text else "", text
        return text, ""

    def _add_place(self, row: Row, query_id: str, doc_id: str) -> None:
        rank = as_whole(row.number("rank"))
        if rank is None or rank < 0:
            self._refuse(row, f"rank {row.of('rank')}", "Write the rank as 1, 2, 3, ...", cause="rank")
            return
        self.rankings.add(row.line, row.of("run_id"), query_id, doc_id, 0, rank, float(-rank), True)

    def reading(self) -> Reading:
        """All tables, with what a user should hear."""
        grades, merged = self.grades.frame(self.problems, "grade")
        frames = {
            **{name: table.frame(self.problems, name)[0] for name, table in self._texts().items()},
            "pool": self.pool.frame(self.problems, "passage")[0],
            "rankings": self.rankings.frame(self.problems, "rank")[0],
            "grades": grades,
        }
        self.problems.raise_if_any()
        frames["rankings"]["rank"] = trec_rank(frames["rankings"])
        notes = [f"{counted({'repeated rows': merged})} merged."] if merged else []
        if unread := int(grades["grade"].isna().sum()):
            notes.append(f"{counted({'unreadable grades': unread})} kept as such, which is no 0.")
        if self.left_out:
            notes.append(f"Not kept: {', '.join(self.left_out)}.")
        counts = {
            "queries": len(frames["queries"]),
            "passages": len(frames["pool"]),
            "questions": len(frames["questions"]),
            "grades": len(grades),
            "graders": grades["grader_id"].nunique(),
        }
        if len(frames["rankings"]):
            counts["runs"] = frames["rankings"]["run_id"].nunique()
        return Reading(frames, _described(grades), counts, notes)

    def _texts(self) -> dict[str, Rows]:
        """Queries, passages and questions with the texts that are known."""
        queries, passages, questions = Rows(QUERIES), Rows(PASSAGES), Rows(QUESTIONS)
        for key, line in self.queries.lines.items():
            queries.add(line, *key, self.queries.texts.get(key))
        for key, line in self.passages.lines.items():
            text = self.passages.texts.get(key)
            passages.add(line, *key, text, text_hash(text))
        for key, line in self.questions.lines.items():
            text = self.questions.texts.get(key)
            questions.add(line, self.bank_id, 1, *key, None, None, text, None, 1.0, True)
        return {"queries": queries, "passages": passages, "questions": questions}


def _described(grades: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """What is known of each grader: its scale is the usual one that has its largest grade."""
    largest = grades.groupby("grader_id", sort=False)["grade"].max().fillna(0)
    ends = {str(name): next((end for end in _ENDS if end >= top), int(top)) for name, top in largest.items()}
    return {name: {"kind": "exam", "item": "question", "rated": True, "scale": end} for name, end in ends.items()}


def _about_scales(graders: dict[str, dict[str, Any]]) -> list[str]:
    said = ", ".join(f"0 to {about['scale']} for {name}" for name, about in graders.items())
    return [f"Scales, by the largest grades: {said}."] if said else []


def _name_grader(path: Path, reading: Reading, grader_id: str) -> None:
    """Give the only grader another name."""
    if len(reading.graders) > 1:
        raise BadInput(
            f"{path}: holds {len(reading.graders)} graders, so --grader can't name them all.\n"
            "Leave --grader out: each is then called as its column says. Nothing was stored."
        )
    reading.graders = dict.fromkeys([grader_id], *reading.graders.values())
    reading.frames["grades"]["grader_id"] = grader_id


def _fits(opening: Opening) -> bool:
    """A header of grades by question, of which one column may be missing: the reader says which.

    Questions with their texts are a bank where neither ids nor texts of passages, or no grades, stand beside them.
    """
    header = _header(opening)
    names = _names(opening.path, header)
    found = columns_of(header, names)
    if columns_of(header, _OF_REVIEWS) or _are_scores(opening):
        return False
    if not {"question_id", "question_text"} & set(found):
        return bool(_wide(header, names))
    missing = {"query_id", "doc_id", "grade"} - set(found)
    if "question_text" in found and ("grade" in missing or ("doc_id" in missing and "passage_text" not in found)):
        return False
    return len(missing) < 2


def _are_scores(opening: Opening) -> bool:
    """Whether JSON has fractions for grades: these are scores of passages, found for the question that a query asks."""
    header, *rows = first_records(opening, NAMES)
    place = columns_of(header, NAMES).get("grade")
    values = [as_number(row[place]) for row in rows] if opening.is_json and place is not None else []
    return any(value is not None and not value.is_integer() for value in values)


def _fits_objects(opening: Opening) -> bool:
    """Objects that have all that a grade needs."""
    found = set(columns_of(_header(opening), NAMES))
    return {"query_id", "doc_id", "grade"} <= found and _fits(opening)


ROWS = (
    Format(
        kind=WORKBENCH,
        written="JSON objects",
        looks="grades by question (JSON)",
        order=5,
        fits=_fits_objects,
        read=read_csv,
    ),
    Format(
        kind=WORKBENCH,
        written="CSV",
        looks="a table of grades by question",
        order=28,
        fits=_fits,
        read=read_csv,
        is_table=True,
    ),
)
