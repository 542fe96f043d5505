"""Grades by question as a table with a header, or as JSON objects: one for each passage, question and grader.

The columns are `query_id`, `doc_id`, `question_id` and `grade`, under the names that people write. A column named
`question` has ids or texts: the first row says which. A text of a question without an id gets the id that
the authors' would. Texts, graders, their answers, and places of passages in runs are taken where columns have them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from exam_core.errors import BadInput, Problems
from exam_core.formats.csv_cells import SIGNS, about_left_out
from exam_core.formats.delimited import DOC_ID, PERSON, QUERY_ID, QUERY_TEXT, RUN_ID, columns_of
from exam_core.formats.file_names import name_of_file
from exam_core.formats.format import Format, Opening
from exam_core.formats.label_words import FAILED
from exam_core.formats.labels import about_decimals
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.plain_tables import Column, PlainTable, filled, whole, words
from exam_core.formats.reading import MakeSpill, Reading, Rows
from exam_core.formats.records import fields_of, first_records
from exam_core.formats.trec_tables import with_signs
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
_Key = TypeVar("_Key")
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
    left, table = Counter[str](), _Table(Problems(path), grader_id, make_spill)
    names = fields_of(Opening(path), NAMES)
    table.asks_by_text = "question_id" not in names and "question_text" in names
    if "grader" not in names:
        table.grader = grader_id or name_of_file(path)
    question = "question_text" if table.asks_by_text else "question_id"
    ids = ("query_id", "doc_id", question, *(["grader"] if "grader" in names else []))
    columns = {name: words(*spellings, needed=False) for name, spellings in {**NAMES, **SIGNS}.items()}
    columns |= {name: filled(*NAMES[name], remedy=_REMEDY) for name in ids}
    columns["grade"] = Column(tuple(NAMES["grade"]), _grade, remedy=_GRADE_REMEDY, decimal=True)
    columns["rank"] = whole(needed=False, among=range(2**31), remedy="Write the rank as 1, 2, 3, ...")

    change = partial(with_signs, left=left, label="grade")
    declared = PlainTable(columns=columns, in_header=(*ids[:3], "grade"))
    for lines, values, cells in declared.columns_of_rows(path, table.problems, progress, change=change):
        if lines:
            table.add_rows(lines, values, cells[0])
    reading = table.reading(bank_id or BANK_ID)
    if not grader_id and table.grader:
        reading.notes.append(f"No column names a grader, so it is named after the file: {table.grader}.")
    reading.notes += about_left_out(left)
    if scales := ", ".join(f"0 to {about['scale']} for {name}" for name, about in reading.graders.items()):
        reading.notes.append(f"Scales, by the largest grades: {scales}.")
    return reading


@dataclass
class _Table:
    """A table of grades while it is read.

    Parameters
    ----------
    grader_id : what somebody calls the only grader
    grader : of all rows; empty where a column says it
    graders : as the rows name them
    texts : of queries, passages and questions by their ids; not all rows of an id need to have its text
    """

    problems: Problems
    grader_id: str | None
    make_spill: MakeSpill | None
    asks_by_text: bool = False
    grader: str = ""
    graders: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    places: dict[tuple[str, ...], int] = field(default_factory=dict)
    texts: dict[str, dict[tuple[str, ...], str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pool, self.rankings, self.grades = (
            Rows(table, self.problems, self.make_spill) for table in (POOL, RANKINGS, GRADES)
        )

    def add_rows(self, lines: Sequence[int], columns: dict[str, list[Any]], first: Mapping[str, str]) -> None:
        """Take rows, which are right; `first` has the cells of the first."""
        if not self.places:
            of_runs = {"run_id", "rank"} & first.keys()
            taken = (NAMES | SIGNS).keys() - (of_runs if len(of_runs) == 1 else set())
            self.left_out = [name for name in first if name not in taken]
            # The first row says whether a column of questions has texts or ids.
            self.has_texts = bool(_IS_TEXT.search(first.get("question_text", "").strip()))
        nothing = [""] * len(lines)
        texts = {
            name: [unguarded(text) if text else "" for text in columns[name]] if any(columns[name]) else nothing
            for name in ("query_text", "question_text", "passage_text", "answer")
        }
        queries, docs, questions = columns["query_id"], columns["doc_id"], columns["question_id"]
        if self.asks_by_text and self.has_texts:
            questions = list(map(question_id, queries, texts["question_text"]))
        elif self.asks_by_text:
            questions, texts["question_text"] = texts["question_text"], nothing
        keys: dict[str, list[tuple[str, ...]]] = {
            "query": list(zip(queries)),
            "passage": list(zip(docs)),
            "question": list(zip(questions, queries, strict=True)),
        }
        for what, ids in keys.items():
            known = self.texts.setdefault(what, {})
            for (key, text), line in _firsts(list(zip(ids, texts[f"{what}_text"], strict=True)), lines):
                if not known.setdefault(key, text):
                    known[key] = text
                elif text and text != known[key]:
                    fault = f"{what} {key[0]} has another text than on an earlier line"
                    remedy = "One id stands for one text: correct the text, or give it another id."
                    self.problems.add(line, fault, text, remedy)
        for pair, line in _firsts(list(zip(queries, docs, strict=True)), lines):
            self.pool.add(line, *pair, self.places.setdefault(pair, len(self.places)))
        graders = [self.grader] * len(lines) if self.grader else columns["grader"]
        self.graders.update(graders)
        rows = {
            "grader_id": [self.grader_id] * len(lines) if self.grader_id else graders,
            "question_id": questions,
            "query_id": queries,
            "doc_id": docs,
            "grade": [None if grade is None else math.floor(grade) for grade in columns["grade"]],
            "answer": [text or None for text in texts["answer"]],
            "decimal": [grade if isinstance(grade, float) else None for grade in columns["grade"]],
        }
        self.grades.add_lines(lines, GRADES.packed(rows))
        places = zip(lines, columns["run_id"], queries, docs, columns["rank"], strict=True)
        for line, run, query_id, doc_id, rank in places if any(columns["run_id"]) else ():
            if run and rank is not None:
                self.rankings.add(line, run, query_id, doc_id, 0, rank, float(-rank), True)

    def reading(self, bank_id: str) -> Reading:
        """All that was taken, with what a user should hear. Raises BadInput where something is wrong."""
        if self.grader_id and len(self.graders) > 1:
            raise BadInput(
                f"{self.problems.path}: holds {len(self.graders)} graders, so --grader can't name them all.\n"
                "Leave --grader out: each is then called as its column says. Nothing was stored."
            )
        tables = {"pool": (self.pool, "passage"), "rankings": (self.rankings, "rank"), "grades": (self.grades, "grade")}
        frames = {name: rows.decide(what) for name, (rows, what) in tables.items()}
        self.problems.raise_if_any()
        queries, passages, questions = (self.texts.get(what, {}).items() for what in ("query", "passage", "question"))
        known = {
            "queries": QUERIES.of((*key, text or None) for key, text in queries),
            "passages": PASSAGES.of((*key, text or None, text_hash(text or None)) for key, text in passages),
            "questions": QUESTIONS.of(
                (bank_id, 1, *key, None, None, text or None, None, 1.0, True) for key, text in questions
            ),
        }
        reading = Reading(known)
        for name, parts in frames.items():
            reading.take(name, parts, self.make_spill)
        runs = {run for frame in reading.parts("rankings") for run in frame["run_id"].unique()}
        unread, decimals, largest = 0, 0, Counter[str]()
        for frame in reading.parts("grades"):
            unread += int(frame["grade"].isna().sum())
            decimals += int(frame["decimal"].notna().sum())
            exact = frame["decimal"].fillna(frame["grade"].astype("Float64").astype("float64")).fillna(0)
            for name, most in exact.groupby(frame["grader_id"], sort=False).max().items():
                largest[str(name)] = max(largest[str(name)], math.ceil(most))
        notes = {
            f"{counted({'repeated rows': self.grades.merged})} merged.": self.grades.merged,
            f"{counted({'unreadable grades': unread})} kept as unreadable, not as 0.": unread,
            about_decimals({"grades": decimals}): decimals,
            f"Not kept: {', '.join(self.left_out)}.": self.left_out,
        }
        reading.notes = [note for note, count in notes.items() if count]
        counts = {"queries": "queries", "passages": "pool", "questions": "questions", "grades": "grades"}
        reading.counts = {name: reading.rows(table) for name, table in counts.items()} | {"graders": len(largest)}
        reading.counts |= {"runs": len(runs)} if runs else {}
        # A scale is the usual one that has the largest grade.
        scales = {name: next((end for end in _ENDS if end >= most), most) for name, most in largest.items()}
        about = {"kind": "exam", "item": "question", "rated": True}
        reading.graders = {name: {**about, "scale": scale} for name, scale in scales.items()}
        return reading


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
