"""Tables and JSON of runs and judgments: their columns, and what tells a run from judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from exam_core.errors import Problems
from exam_core.formats import delimited
from exam_core.formats.csv_cells import LEFT_OUT, SIGNS, sign_of
from exam_core.formats.file_names import name_of_file
from exam_core.formats.format import Opening
from exam_core.formats.label_words import FAILED, numbers_of
from exam_core.formats.leaderboards import chosen_column
from exam_core.formats.numbers import as_number, as_whole, as_whole_number
from exam_core.formats.plain_tables import Column, PlainTable, filled, number, whole, words
from exam_core.formats.records import WHOLES, fields_of, first_records
from exam_core.progress import Progress, no_progress
from exam_core.tables import LARGEST_GRADE, SMALLEST_GRADE

Cells = Iterator[tuple[Sequence[int] | npt.NDArray[np.int64], dict[str, Any]]]
"""Rows of a file some thousand at a time: their lines, and their values by field."""
_DOC = (*delimited.DOC_ID, "document", "passage")
_PAIR = {"query_id": words(*delimited.QUERY_ID), "doc_id": words(*_DOC)}
# PyTerrier's docid is a number of its index, and docno the passage.
RUN = {
    "query_id": words(*delimited.QUERY_ID),
    "docno": words(*_DOC),
    "rank": whole("position", remedy="Write the rank as 1, 2, 3, ..."),
    "score": number("similarity", "retrieval_score"),
    "run_id": words(*delimited.RUN_ID),
}
_RUN_NAMES = {name: column.names for name, column in RUN.items()}
LABEL = "the relevance"
"""The field of the chosen column of labels, called as no column of a file is."""
_LABELS = frozenset(
    "relevance score label grade rel judgment judgement rating relevant relevancelabel isrelevant labels".split()
)
_JUDGES = (*delimited.PERSON, "grader", "model", "llm")
_LABEL_RANGE = range(-2, 11)
"""What labels are that stand in a column whose name does not say so."""
_MOST_WORDS = 1000
_NOT_JUDGED = {"run_id": delimited.RUN_ID, "rank": (), "question_id": (), "measure": ()}
_NO_RUN = {"question_id": (), "measure": (), "reviewer": ("annotator",)}
_JUDGED_NAMES = {**{name: column.names for name, column in _PAIR.items()}, **{"judge": _JUDGES, **SIGNS, **_NOT_JUDGED}}
RUN_COLUMNS = {"query": ("query_id",), "doc": ("docno",), "rank": ("rank",), "score": ("score",), "run": ("run_id",)}
JUDGED_COLUMNS = {"query": ("query_id",), "doc": ("doc_id",), "label": ("relevance", *_LABELS), "judge": ("judge",)}
ABOUT = {
    "score": "It has no column of scores: the score of a passage is minus its rank.",
    "run_id": "No column names the run: it is named after the file, unless you give a name.",
}
"""What is to be known of a table of runs without such a column."""


def run_columns(opening: Opening) -> dict[str, int]:
    """Where a table of a run has its columns, without a header in runs of MS MARCO and ColBERT; none of another file.

    Query, passage and score alone may be judgments, too.
    """
    rows, names = opening.rows, ("query_id", "docno", "rank", "score")
    width = len(rows[0]) if rows else 0
    if width in (3, 4) and all(len(row) == width for row in rows):
        ranks = [as_whole_number(row[2]) for row in rows]
        steps = [(a, b) for (row, a), (other, b) in pairwise(zip(rows, ranks, strict=True)) if row[0] == other[0]]
        counts_up = ranks[0] in (0, 1) and all(a is not None and b == a + 1 for a, b in steps)
        are_judged = width == 4 and all(is_iteration(row[1]) for row in rows)
        is_scored = width == 3 or all(as_number(row[3]) is not None for row in rows)
        if steps and counts_up and None not in ranks and is_scored and not are_judged:
            return {name: place for place, name in enumerate(names[:width])}
    columns, (_, *records) = fields_of(opening, _RUN_NAMES), first_records(opening, _RUN_NAMES)
    places = [columns[name] for name in ("rank", "score") if name in columns]
    # In objects within objects, whose names are no ids, other things stand there.
    cells = [row[place] for row in records for place in places if row[place]] if opening.is_json else []
    is_other = bool(fields_of(opening, _NO_RUN)) or any(as_number(cell) is None for cell in cells)
    return columns if {"query_id", "docno"} <= {*columns} and places and not is_other else {}


def label_columns(opening: Opening) -> list[str]:
    """The columns that may have the labels of a table of judgments, of which one is to be chosen; none of another file.

    Those that are called so count first, of these those with whole numbers or words alone, and then all with small
    whole numbers.
    """
    header, *rows = first_records(opening, _JUDGED_NAMES)
    places = delimited.columns_of(header, _JUDGED_NAMES)
    # A table of reviews has a column of questions that may be empty.
    others = [places[name] for name in _NOT_JUDGED if name in places]
    if not {*_PAIR} <= {*places} or any(any(row[place : place + 1]) for row in rows for place in others):
        return []
    cells = {
        name: [row[place] for row in rows if place < len(row)]
        for place, name in enumerate(header)
        if place not in places.values()
    }

    def are_labels(name: str, allowed: range, *, words: bool = False) -> bool:
        own = [cell for cell in cells[name] if cell.lower() not in FAILED]
        return bool(own) and all(as_whole(cell) in allowed or (words and numbers_of([cell])) for cell in own)

    called = [name for name in cells if delimited.folded(name) in _LABELS]
    grades = range(SMALLEST_GRADE, LARGEST_GRADE + 1)
    certain = [name for name in called if are_labels(name, grades, words=True)]
    rest = [name for name in cells if not delimited.is_heading(name) and are_labels(name, _LABEL_RANGE)]
    return certain or called or rest


def chosen_labels(opening: Opening, column: str | None) -> str:
    """The column of labels of a table of judgments, with the arguments and errors of `chosen_column`."""
    header, places = first_records(opening, _JUDGED_NAMES)[0], fields_of(opening, _JUDGED_NAMES)
    others = [name for place, name in enumerate(header) if place not in [places.get(field) for field in _PAIR]]
    return chosen_column(opening.path, column, label_columns(opening) or ["relevance"], others)


def kind_of_table(opening: Opening) -> Literal["run", "scores", "either", "judgments", ""]:
    """What a table or JSON holds: `run` with ranks or names of runs, `scores` of a run alone, or judgments.

    Fractions are those of a run if they fall from row to row of a query, are beyond every scale of labels, or stand in
    a list below a query. Otherwise they may be either a run's or a judge's.
    """
    columns, labels = run_columns(opening), label_columns(opening)
    if {"rank", "run_id"} & {*columns}:
        return "run"
    if columns:
        header, *rows = first_records(opening, _RUN_NAMES)
        query, place = columns["query_id"], columns["score"]
        cells = [(row[query], as_number(row[place])) for row in rows if len(row) > max(query, place)]
        scores = [(query_id, score) for query_id, score in cells if score is not None]
        if any(score % 1 for _, score in scores) and {*labels} <= {header[place]}:
            steps = [b - a for (query_id, a), (other, b) in pairwise(scores) if query_id == other]
            falls = any(step < 0 for step in steps) and not any(step > 0 for step in steps)
            is_off = any(not _LABEL_RANGE[0] <= score <= _LABEL_RANGE[-1] for _, score in scores)
            lists = [name for name, part in opening.first_object.items() if isinstance(part, list)]
            is_listed = any(delimited.folded(name) not in WHOLES for name in lists)
            return "scores" if falls or is_off or is_listed else "either"
    return "judgments" if labels else ""


def names_no_run(kind: str, path: Path) -> bool:
    """Whether a file of a kind holds a run that only the file's name would name."""
    columns = run_columns(Opening(path)) if kind == "run" else {}
    return bool(columns) and "run_id" not in columns


def run_cells(path: Path, problems: Problems, progress: Progress = no_progress) -> Cells:
    """The rows of a table of runs.

    Without a column of the run it has the file's name. Without ranks, rows are in the order of their ranks; without
    scores, a score is minus the rank.
    """
    opening, places = Opening(path), Counter[tuple[str, str]]()
    named = fields_of(opening, _RUN_NAMES)
    own = run_columns(opening) or named
    is_bare = bool(own) and not named
    needed = {*own, "query_id", "docno", *(() if {"rank", "score"} & {*own} else ("score",))}
    columns = {name: replace(RUN[name], needed=name in needed) for name in (own if is_bare else RUN)}
    for lines, values, _ in PlainTable(columns=columns, bare=is_bare).columns_of_rows(path, problems, progress):
        if "run_id" not in own:
            values["run_id"] = [name_of_file(path)] * len(lines)
        if "rank" not in own:
            pairs = list(zip(values["query_id"], values["run_id"], strict=True))
            values["rank"] = []
            for pair in pairs:
                places[pair] += 1
                values["rank"].append(places[pair])
        if "score" not in own:
            values["score"] = [-float(rank) for rank in values["rank"]]
        yield lines, values


def judged_table(label: str, read: Callable[[str], Any], remedy: str = "", *, several: bool = False) -> PlainTable:
    """A table of judgments whose labels stand in a column, as `read` reads them; each row names one of several judges.

    `several` : whether there are several.
    """
    labels = Column((label,), read, remedy=remedy, decimal=True)
    judge = filled(*_JUDGES, remedy="Name the judge in each line.") if several else words(*_JUDGES, needed=False)
    others = {name: words(needed=False) for name in ("iteration", *SIGNS)}
    return PlainTable(columns={**_PAIR, LABEL: labels, "judge": judge, **others})


def with_signs(
    rows: Iterator[delimited.Row], left: Counter[str], *, label: str = LABEL, may_be_empty: bool = False
) -> Iterator[delimited.Row]:
    """Rows with the sign of `csv_cells` in the place of a label that failed; those that it leaves out are counted.

    `label`: the field that has it. `may_be_empty`: whether rows without one are left out, too: one of several assessors
    did not judge them.
    """
    for row in rows:
        sign = sign_of(row.cells)
        if sign in LEFT_OUT or (may_be_empty and not row.of(label)):
            left[sign or "no label"] += 1
        else:
            yield row._replace(cells={**row.cells, label: sign}) if sign else row


def judges_and_words(path: Path, label: str) -> tuple[tuple[str, ...], dict[str, int]]:
    """The judges of a table, if there are several, and what the words among its labels stand for.

    Of a table whose first rows have neither, only these are read.
    """
    judges, labels = dict[str, None](), dict[str, None]()
    rows = judged_table(label, lambda cell: cell).columns_of_rows(
        path, Problems(path), change=lambda rows: with_signs(rows, Counter())
    )
    for _, values, _ in rows:
        judges |= dict.fromkeys(filter(None, values["judge"]))
        labels |= dict.fromkeys(values[LABEL] if len(labels) < _MOST_WORDS else ())
        if not judges and all(as_number(cell) is not None or cell.lower() in FAILED for cell in labels):
            break
    return tuple(judges) if len(judges) > 1 else (), numbers_of(labels)


def is_iteration(text: str) -> bool:
    """Whether a text is what judgments have in their second column: 0, Q0, U0, or the small number of a subtopic."""
    number = as_whole_number(text.lower().removeprefix("q").removeprefix("u"))
    return number is not None and 0 <= number < 100
