"""Runs, judgments, topics and passages that are in Python already: frames, dictionaries and records of other tools.

Names are those of PyTerrier (qid, docno, label, query) or of ir_measures and ir_datasets (query_id, doc_id, relevance,
text). Nothing is guessed: ids are texts, scores numbers, and a column or field has one of its names.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, starmap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.errors import BadInput, Problems, UsageError, is_utf8, visible
from exam_core.formats.corpus_files import IDS, TEXTS, TOGETHER, Passages
from exam_core.formats.labels import as_labels
from exam_core.formats.plain_tables import Column
from exam_core.formats.reading import Reading, Rows, fault_of_id
from exam_core.tables import GRADES, JUDGMENTS, LARGEST_GRADE, QUERIES, RANKINGS, SMALLEST_GRADE, Table

_LABELS = replace(JUDGMENTS, columns=(*JUDGMENTS.columns, *(c for c in GRADES.columns if c.name == "decimal")))


def _text(value: Any) -> str:
    if _is_missing(value):
        raise ValueError("is missing: give the row one, or remove it")
    if not isinstance(value, str):
        raise ValueError(f"is {_shown(value)}, not text")
    if not is_utf8(value):
        raise ValueError("is not UTF-8")
    return value


def _id(value: Any) -> str:
    if fault := fault_of_id(_text(value)):
        raise ValueError(f"{value[:40]!r} {fault}")
    return str(value)


def _words(value: Any) -> str:
    if not _text(value).strip():
        raise ValueError("is blank")
    return str(value)


def _number(value: Any, *, ends: tuple[int, int] | None = None, whole: bool = False) -> float:
    try:
        exact = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) else math.nan
    except OverflowError:  # a whole number beyond all floats
        exact = math.nan
    if not math.isfinite(exact):
        raise ValueError(f"is {_shown(value)}, not a number")
    if whole and not isinstance(value, numbers.Integral):
        raise ValueError(f"is {_shown(value)}, not a whole number")
    if ends and not ends[0] <= exact <= ends[1]:
        raise ValueError(f"is {value}, not in {ends[0]}..{ends[1]}")
    return int(value) if whole else exact


_OF_IDS = "Ids are plain, visible texts: make those of numbers with astype('str'), correct others at their source."
_OF_NUMBERS = "Correct or remove the row; whole numbers are made of a column with astype('int64')."
_QUERY, _DOC = Column(("qid",), _id, remedy=_OF_IDS), Column(("docno",), _id, remedy=_OF_IDS)
_RUN = {
    "query_id": _QUERY,
    "doc_id": _DOC,
    "score": Column((), _number, remedy=_OF_NUMBERS),
    "run_id": Column((), _id, needed=False, remedy=_OF_IDS),
    "source_rank": Column(
        ("rank",), partial(_number, ends=(0, 2**31 - 1), whole=True), needed=False, remedy=_OF_NUMBERS
    ),
}
_TOPICS = {
    "query_id": _QUERY,
    "query_text": Column(("query", "text"), _words, remedy="Give the query's words, or remove the row."),
}


def given_run(run: Any, name: str | None = None) -> Reading:
    """A run: a frame, a dictionary of dictionaries (query, passage, score), or records such as ir_measures' ScoredDoc.

    A frame's column rank is kept as the rank of its source; its run_id may name several runs. `name` is the run's name,
    where no column has it. Raises BadInput where a column is missing or has two of its names, an id is no text, a score
    no number, or a passage has two, and UsageError where the run has no name, or two.
    """
    values = _values("The run", run, _RUN)
    if (name is None) == ("run_id" not in values):
        fault = "has a column run_id: leave the name out" if name is not None else "has no name: give one, name='bm25'"
        raise UsageError(f"The run {fault}.")
    count = len(values["score"])
    missing: dict[str, Any] = {"run_id": name, "rank": 0, "source_rank": 0, "cut": False}
    columns = {column: [item] * count for column, item in missing.items()} | values
    rows, notes = _merged("The run", RANKINGS, columns, "score")
    if "source_rank" not in values:
        rows["source_rank"] = rows["rank"]
    return Reading({"rankings": rows}, counts={"runs": rows["run_id"].nunique(), "rankings": len(rows)}, notes=notes)


def given_labels(labels: Any, *, grader_id: str, scale: int | None) -> Reading:
    """Labels of a grader in the forms of judgments, and with their errors, but for decimals; see `as_labels`."""
    judgments = given_qrels(labels, qrels_id=grader_id, what="The labels", decimals=True)
    del judgments.counts["judgments"]
    return as_labels(judgments, judgments.parts("judgments"), scale, "Python")


def given_qrels(qrels: Any, *, qrels_id: str, what: str = "The judgments", decimals: bool = False) -> Reading:
    """Judgments: a frame, a dictionary of dictionaries (query, passage, relevance), or records as ir_measures' Qrel.

    Raises BadInput where a column is missing or has two of its names, an id is no text, a relevance no whole number in
    -126..127, or a passage has two. With `decimals`, numbers of that range that are not whole have a column `decimal`
    of their own, and the largest whole number that is not above them as the relevance.
    """
    read = partial(_number, ends=(SMALLEST_GRADE, LARGEST_GRADE), whole=not decimals)
    relevance = Column(("label",), read, remedy=_OF_NUMBERS)
    values = _values(what, qrels, {"query_id": _QUERY, "doc_id": _DOC, "relevance": relevance})
    exact = values["relevance"]
    values |= {"qrels_id": [qrels_id] * len(exact), "relevance": list(map(math.floor, exact))}
    if decimals:
        values["decimal"] = [value if value % 1 else None for value in exact]
    rows, notes = _merged(what, _LABELS if decimals else JUDGMENTS, values, "relevance")
    counts = {"queries": rows["query_id"].nunique(), "judgments": len(rows)}
    return Reading({"judgments": rows}, counts=counts, notes=notes, judges=(qrels_id,))


def given_topics(topics: Any) -> Reading:
    """Texts of queries: a frame, a dictionary, or records.

    Raises BadInput where a column is missing or has two of its names, an id or a query is no text, or a query has two.
    """
    rows, notes = _merged("The topics", QUERIES, _values("The topics", topics, _TOPICS), "text")
    return Reading({"queries": rows}, counts={"queries": len(rows)}, notes=notes)


def described(value: Any) -> str:
    """What is given, as the list of imports names it."""
    if isinstance(value, pd.DataFrame):
        return "a DataFrame"
    return "a dictionary" if isinstance(value, Mapping) else "records"


def _values(what: str, value: Any, columns: Mapping[str, Column]) -> dict[str, list[Any]]:
    """What is given, checked, by our names of the columns; one that is not needed may be missing."""
    frame = _frame(what, value, [name for name, column in columns.items() if column.needed])
    values = dict[str, list[Any]]()
    for name, column in columns.items():
        names = dict.fromkeys((*column.names, name))
        own_names = [own for own in names for other in frame.columns if own == other]
        if len(own_names) > 1:
            raise BadInput(visible(f"{what}: has two columns for one thing, {' and '.join(own_names)}. Leave one out."))
        if not own_names and column.needed:
            listed = ", ".join(map(str, frame.columns))
            raise BadInput(visible(f"{what}: has no column {' or '.join(names)}. It has: {listed or 'none'}."))
        for row, item in enumerate(frame[own_names[0]].tolist() if own_names else ()):
            try:
                values.setdefault(name, []).append(column.read(item))
            except ValueError as error:
                fault = f"{what}: {own_names[0]} {error} (row {row})."
                raise BadInput(visible(f"{fault}\n{column.remedy} Nothing was stored.")) from None
    return values if len(frame) else {name: [] for name, column in columns.items() if column.needed}


def _frame(what: str, value: Any, names: Sequence[str]) -> pd.DataFrame:
    """What is given as a frame, whose columns have their own names; of dictionaries these."""
    if isinstance(value, pd.DataFrame):
        return value
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise BadInput(f"{what}: is of type {type(value).__name__}. Give a DataFrame, a dictionary or records.")
    rows = list(value)
    if isinstance(value, Mapping) and len(names) == 2:
        rows = list(value.items())
    elif isinstance(value, Mapping):
        for query, row in value.items():
            if not isinstance(row, Mapping):
                fault = f"query {query} has a {type(row).__name__} where a dictionary of passages belongs."
                raise BadInput(visible(f"{what}: {fault}"))
        rows = [(query, *pair) for query, row in value.items() for pair in row.items()]
    try:
        # Objects: a number that is missing makes no decimals of the others.
        return pd.DataFrame(rows, columns=names if isinstance(value, Mapping) or not rows else None, dtype=object)
    except (TypeError, ValueError) as error:
        raise BadInput(visible(f"{what}: records of different kinds ({error}). Nothing was stored.")) from None


def _merged(what: str, table: Table, values: Mapping[str, list[Any]], word: str) -> tuple[pd.DataFrame, list[str]]:
    """The rows as a frame of a table, and a note on those that were repeated; two values of one key are refused."""
    problems = Problems(Path())
    rows = Rows(table, problems, named="row {}".format)
    count = len(next(iter(values.values())))
    rows.add_lines(range(count), table.packed(values))
    frame, merged = rows.frame(word)
    if problems.problems:
        first = min(problems.problems, key=lambda problem: problem.line)
        raise BadInput(visible(f"{what}: {first.what} (row {first.line}).\n{first.remedy} Nothing was stored."))
    return frame, [f"{merged:,} repeated rows were merged."] if merged else []


def given_passages(passages: Any) -> Iterator[Passages]:
    """Passages, some at a time: a frame, {id: text}, or records, which may be as many as a corpus has.

    Records are those of ir_datasets (`docs_iter()`), other objects with such fields, or dictionaries; fields have the
    names that files have, and text may be ir_datasets' default text. Raises BadInput where an id is missing, or an id
    or a text is no text; when it comes.
    """
    if isinstance(passages, pd.DataFrame | Mapping | str | bytes) or not isinstance(passages, Iterable):
        frame = _frame("The passages", passages, ("id", "text"))
        passages = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    rows = starmap(_passage, enumerate(passages))
    while some := list(islice(rows, TOGETHER)):
        yield Passages(*zip(*some, strict=True))


def _passage(row: int, record: Any) -> tuple[int, str, str, str]:
    """Row, id, title and text of a record; a title or a text that is not there is empty."""
    fields = dict[str, Any]()
    for name in (*IDS, *TEXTS, "title", "default_text"):
        value = record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)
        if not _is_missing(value):
            fields[name] = value
    ids, texts = ([fields[name] for name in names if name in fields] for names in (IDS, TEXTS))
    titles = [title] if isinstance(title := fields.get("title"), str) else []
    if not texts and callable(fields.get("default_text")):
        texts, titles = [str(fields["default_text"]())], []
    try:
        doc_id, *words = map(_text, (*(ids or [None])[:1], *titles, *texts))
    except ValueError as error:
        fault = f"The passages: id or text {error} (record {row})."
        remedy = f"The field of the id is {' or '.join(IDS)}, that of the text {' or '.join(TEXTS)}."
        raise BadInput(visible(f"{fault}\n{remedy} Nothing was stored.")) from None
    return row, doc_id, words[0] if titles else "", next(filter(None, words[len(titles) :]), "")


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def _shown(value: Any) -> str:
    text = str(value)
    return f"{text[:40]} ({type(value).__name__})" if text else f"empty ({type(value).__name__})"
