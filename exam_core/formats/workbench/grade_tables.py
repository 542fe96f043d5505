"""Grades by question as a table with a header, or as JSON objects: one for each passage, question and grader.

The columns are `query_id`, `doc_id`, `question_id` and `grade`, under the names that people write. A column named
`question` has ids or texts: the first row says which. A text of a question without an id gets the id that
the authors' would. Texts, graders, their answers, and places of passages in runs are taken where columns have them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from exam_core.errors import BadInput, Problems
from exam_core.formats.csv_cells import LEFT_OUT, SIGNS, about_left_out, sign_of
from exam_core.formats.delimited import DOC_ID, PERSON, QUERY_ID, QUERY_TEXT, RUN_ID, Row, columns_of
from exam_core.formats.file_names import name_of_file
from exam_core.formats.format import Format, Opening
from exam_core.formats.label_words import FAILED
from exam_core.formats.labels import about_decimals
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.plain_tables import Column, PlainTable, filled, words
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.records import fields_of, first_records
from exam_core.formats.workbench.graded_files import WORKBENCH, text_hash
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
_TEXTS = ("query_text", "question_text", "passage_text")
_Key = TypeVar("_Key", bound=tuple[str, ...])
_OF_REVIEWS = dict.fromkeys({*PERSON, "task", "review_id", "queue_id"} - {*NAMES["grader"]}, ())
_ENDS = (1, 2, 3, 5)
_WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0}
_IS_TEXT = re.compile(r"\s|[?？؟]$")
_REMEDY = "Each row names a query, a passage, a question and a grade. Complete the row, or remove it."
_GRADE_REMEDY = f"Grades are numbers from 0 to {LARGEST_GRADE}. Leave the cell empty where a grade could not be read."


def read_csv(
    path: Path,
    *,
    bank_id: str | None = None,
    grader_id: str | None = None,
    make_spill: MakeSpill | None = None,
    progress: Progress = no_progress,
) -> Reading:
    """Read rows of grades; an empty grade could not be read.

    Raises BadInput where a column is missing, a row lacks an id or has another grade than a number, or a key has two
    grades.

    Parameters
    ----------
    bank_id : name of the bank that the graded questions form; by default `BANK_ID`
    grader_id : name of the only grader; by default as the column says, or as the file is called
    make_spill : where very many rows go
    """
    opening, table, left = Opening(path), _Table(Problems(path), bank_id or BANK_ID, make_spill), Counter[str]()
    header = first_records(opening, NAMES)[0]
    places = columns_of(header, NAMES)
    question = "question_text" if _asks_by_text(places) else "question_id"
    if "grader" not in places:
        table.grader = grader_id or name_of_file(path)
    elif grader_id:
        table.named = grader_id
    ids = ("query_id", "doc_id", question, *(["grader"] if "grader" in places else []))
    columns = {name: words(*spellings, needed=False) for name, spellings in {**NAMES, **SIGNS}.items()}
    columns |= {name: filled(*NAMES[name], remedy=_REMEDY) for name in ids}
    columns["grade"] = Column(tuple(NAMES["grade"]), _grade, remedy=_GRADE_REMEDY, decimal=True)
    columns["rank"] = Column((), _rank, needed=False, remedy="Write the rank as 1, 2, 3, ...", decimal=True)

    def change(rows: Iterator[Row]) -> Iterator[Row]:
        # A sign of a failed grade stands in its place; rows that don't count are left out.
        for row in rows:
            sign = sign_of(row.cells)
            if sign in LEFT_OUT:
                left[sign] += 1
                continue
            if sign:
                row.cells["grade"] = sign
            yield row

    declared = PlainTable(columns=columns, in_header=(*ids[:3], "grade"))
    for lines, values, cells in declared.columns_of_rows(path, table.problems, progress, change=change):
        table.add_rows(lines, values, cells)
    reading = table.reading()
    if not grader_id and table.grader:
        reading.notes.append(f"No column names a grader, so it is named after the file: {table.grader}.")
    reading.notes += about_left_out(left)
    if scales := ", ".join(f"0 to {about['scale']} for {name}" for name, about in reading.graders.items()):
        reading.notes.append(f"Scales, by the largest grades: {scales}.")
    return reading


def _asks_by_text(fields: Collection[str]) -> bool:
    return "question_id" not in fields and "question_text" in fields


@dataclass
class _TextsById:
    """Texts by id: an id has one, which not all of its rows need to say."""

    what: str
    problems: Problems
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    texts: dict[tuple[str, ...], str] = field(default_factory=dict)

    def add(self, lines: Sequence[int], keys: Sequence[tuple[str, ...]], texts: Sequence[str]) -> None:
        """Take what rows say of ids; an empty text, or none at all, says nothing."""
        for key, line in _firsts(keys, lines):
            self.lines.setdefault(key, line)
        pairs = dict.fromkeys(zip(keys, texts, strict=False))
        others = {(key, text) for key, text in pairs if text and self.texts.setdefault(key, text) != text}
        for line, key, text in zip(lines, keys, texts, strict=True) if others else ():
            if (key, text) in others:
                what = f"{self.what} {key[0]} has another text than on an earlier line"
                remedy = "One id stands for one text: correct the text, or give it another id."
                self.problems.add(line, what, text, remedy)


@dataclass
class _Table:
    """A table of grades while it is read.

    Parameters
    ----------
    grader : of all rows; empty where a column says it
    named : what somebody calls the only grader of the column
    has_texts : whether the column of questions holds texts alone; None as long as no row was read
    """

    problems: Problems
    bank_id: str
    make_spill: MakeSpill | None = None
    grader: str = ""
    named: str = ""
    has_texts: bool | None = None
    left_out: list[str] = field(default_factory=list)
    places: dict[tuple[str, str], int] = field(default_factory=dict)
    unread: int = 0
    decimals: int = 0
    largest: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.queries, self.questions, self.passages = (
            _TextsById(what, self.problems) for what in ("query", "question", "passage")
        )
        self.grades, self.rankings, self.pool = (Rows(table, self.make_spill) for table in (GRADES, RANKINGS, POOL))

    def add_rows(
        self, lines: Sequence[int], columns: Mapping[str, list[Any]], cells: Sequence[Mapping[str, str]]
    ) -> None:
        """Take rows, which are right."""
        if not lines:
            return
        if self.has_texts is None:
            of_runs = {"run_id", "rank"} & cells[0].keys()
            known = (NAMES | SIGNS).keys() - (of_runs if len(of_runs) == 1 else set())
            self.left_out = [name for name in cells[0] if name not in known]
            self.has_texts = _asks_by_text(cells[0]) and bool(_IS_TEXT.search(cells[0]["question_text"].strip()))
        texts = {
            name: [unguarded(text) if text else "" for text in columns[name]]
            if any(columns[name])
            else [""] * len(lines)
            for name in (*_TEXTS, "answer")
        }
        queries, docs, runs = columns["query_id"], columns["doc_id"], columns["run_id"]
        graders = [self.grader] * len(lines) if self.grader else columns["grader"]
        questions, worded = zip(*map(self._question, cells, queries, texts["question_text"]), strict=True)
        places = [rank if run else None for run, rank in zip(runs, columns["rank"], strict=True)]
        self.queries.add(lines, list(zip(queries)), texts["query_text"])
        self.questions.add(lines, list(zip(questions, queries, strict=True)), worded)
        self.passages.add(lines, list(zip(docs)), texts["passage_text"])
        for pair, line in _firsts(list(zip(queries, docs, strict=True)), lines):
            self.pool.add(line, *pair, self.places.setdefault(pair, len(self.places)))
        answers = [text or None for text in texts["answer"]]
        grades = [None if grade is None else math.floor(grade) for grade in columns["grade"]]
        decimals = [grade if isinstance(grade, float) else None for grade in columns["grade"]]
        values: Sequence[Sequence[Any]] = (graders, questions, queries, docs, grades, answers)
        rows = dict(zip(GRADES.names, values, strict=False)) | {"decimal": decimals}
        self.grades.add_lines(lines, GRADES.packed(rows))
        for line, run, query_id, doc_id, rank in zip(lines, runs, queries, docs, places, strict=True):
            if rank is not None:
                self.rankings.add(line, run, query_id, doc_id, 0, rank, float(-rank), True)

    def _question(self, cells: Mapping[str, str], query_id: str, text: str) -> tuple[str, str]:
        """Id and text of a row's question; the text may be empty."""
        if "question_id" in cells:
            return cells["question_id"].strip(), text
        if self.has_texts:
            return question_id(query_id, text) if text else "", text
        return text, ""

    def _look_at(self, grades: pd.DataFrame) -> pd.DataFrame:
        """Count what is to be said of grades, which are returned."""
        exact = grades["decimal"].fillna(grades["grade"].astype("Float64").astype("float64")).fillna(0)
        for name, own in exact.groupby(grades["grader_id"], sort=False):
            self.largest[str(name)] = max(self.largest[str(name)], math.ceil(own.max()))
        self.decimals += int(grades["decimal"].notna().sum())
        self.unread += int(grades["grade"].isna().sum())
        return grades.assign(grader_id=self.named) if self.named else grades

    def reading(self) -> Reading:
        """All that was taken, with what a user should hear."""
        problems = self.problems
        grades = self.grades.decide(problems, "grade")
        frames = {name: table.frame(problems, name)[0] for name, table in self._texts().items()}
        pool, rankings = self.pool.decide(problems, "passage"), self.rankings.decide(problems, "rank")
        problems.raise_if_any()
        reading = Reading()
        for name, rows in {"pool": pool, "rankings": rankings, "grades": map(self._look_at, grades)}.items():
            reading.take(name, rows, self.make_spill)
        reading.frames |= frames
        if self.named and len(self.largest) > 1:
            raise BadInput(
                f"{problems.path}: holds {len(self.largest)} graders, so --grader can't name them all.\n"
                "Leave --grader out: each is then called as its column says. Nothing was stored."
            )
        merged, runs = (
            self.grades.merged,
            {run for part in reading.parts("rankings") for run in part["run_id"].unique()},
        )
        if merged:
            reading.notes.append(f"{counted({'repeated rows': merged})} merged.")
        if self.unread:
            reading.notes.append(f"{counted({'unreadable grades': self.unread})} kept as unreadable, not as 0.")
        if self.decimals:
            reading.notes.append(about_decimals({"grades": self.decimals}))
        if self.left_out:
            reading.notes.append(f"Not kept: {', '.join(self.left_out)}.")
        reading.counts = {
            "queries": len(frames["queries"]),
            "passages": reading.rows("pool"),
            "questions": len(frames["questions"]),
            "grades": reading.rows("grades"),
            "graders": len(self.largest),
            **({"runs": len(runs)} if runs else {}),
        }
        # A scale is the usual one that has the largest grade.
        scales = {name: next((end for end in _ENDS if end >= top), top) for name, top in self.largest.items()}
        about = {"kind": "exam", "item": "question", "rated": True}
        reading.graders = {self.named or name: {**about, "scale": scale} for name, scale in scales.items()}
        return reading

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


def _firsts(keys: Sequence[_Key], lines: Sequence[int]) -> Iterable[tuple[_Key, int]]:
    """Each key once, with the line where it comes first."""
    lines_of_keys = dict(zip(reversed(keys), reversed(lines), strict=True))
    return ((key, lines_of_keys[key]) for key in dict.fromkeys(keys))


def _grade(cell: str) -> float | None:
    """What a cell says, a float where it has decimals; None of a grade that could not be read."""
    word = cell.lower()
    grade: float | None = _WORDS.get(word, as_whole(word))
    grade = as_number(word) if grade is None else grade
    if word in FAILED or (grade is not None and 0 <= grade <= LARGEST_GRADE):
        return grade
    raise ValueError("is no grade")


def _rank(cell: str) -> int:
    rank = as_whole(cell)
    if rank is None or rank < 0:
        raise ValueError("is no rank")
    return rank


def _fits(opening: Opening) -> bool:
    """A header of grades by question, of which one column may be missing: the reader says which.

    Questions with their texts are a bank where neither ids nor texts of passages, or no grades, stand beside them.
    """
    header, *rows = first_records(opening, NAMES)
    fields = columns_of(header, NAMES)
    place = fields.get("grade")
    # JSON with fractions for scores has scores of passages, found for the question that a query asks.
    scores = opening.is_json and place is not None and header[place].lower() not in ("grade", "rating", "self_rating")
    values = [as_number(row[place]) for row in rows] if scores and place is not None else []
    if columns_of(header, _OF_REVIEWS) or any(value is not None and not value.is_integer() for value in values):
        return False
    if not {"question_id", "question_text"} & set(fields):
        return False
    missing = {"query_id", "doc_id", "grade"} - set(fields)
    if "question_text" in fields and ("grade" in missing or ("doc_id" in missing and "passage_text" not in fields)):
        return False
    return len(missing) < 2


ROWS = (
    Format(
        kind=WORKBENCH,
        written="JSON objects",
        looks="grades by question (JSON)",
        order=5,
        fits=lambda opening: {"query_id", "doc_id", "grade"} <= {*fields_of(opening, NAMES)} and _fits(opening),
        read=read_csv,
    ),
    Format(
        kind=WORKBENCH,
        written="CSV",
        looks="a table of grades by question",
        order=28,
        fits=_fits,
        read=read_csv,
        explains=("table", "text"),
    ),
)
