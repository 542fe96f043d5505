"""Runs, judgments and topics that are in Python already: frames, dictionaries and records of other tools.

Names are those of PyTerrier (qid, docno, label, query) or of ir_measures and ir_datasets (query_id, doc_id, relevance,
text). Nothing is guessed: ids are texts, scores numbers, and a column or field has one of its names.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from exam_core.errors import BadInput, UsageError, is_utf8, visible
from exam_core.formats.corpus_files import IDS, TEXTS, Passage
from exam_core.formats.labels import as_labels
from exam_core.formats.reading import Reading, fault_of_id, trec_rank
from exam_core.tables import JUDGMENTS, LARGEST_GRADE, QUERIES, RANKINGS, SMALLEST_GRADE

NAMES = {
    "run_id": ("run_id",),
    "query_id": ("qid", "query_id"),
    "doc_id": ("docno", "doc_id"),
    "rank": ("rank",),
    "score": ("score",),
    "relevance": ("label", "relevance"),
    "query_text": ("query", "text"),
}
"""Our columns, and what they are called elsewhere."""
_IDS = ("run_id", "query_id", "doc_id")


@dataclass(frozen=True)
class _Given:
    """What is given, as columns of ours; `what` begins its messages."""

    what: str
    columns: dict[str, Sequence[Any]]
    names: dict[str, str]

    def refuse(self, column: str, row: int, fault: str, remedy: str) -> NoReturn:
        raise BadInput(visible(f"{self.what}: {self.names[column]} {fault} (row {row}).\n{remedy} Nothing was stored."))

    def check_ids(self) -> None:
        """Refuse an id that is no text, or that nobody could tell apart."""
        for column in (name for name in _IDS if name in self.columns):
            known: set[str] = set()
            for row, value in enumerate(self.columns[column]):
                if not isinstance(value, str):
                    made = "Ids are texts: convert them first, for instance with astype('str')."
                    remedy = "Give it an id, or remove the row." if _is_missing(value) else made
                    self.refuse(column, row, f"is {_shown(value)}, not text", remedy)
                if value not in known:
                    if fault := fault_of_id(value):
                        self.refuse(column, row, f"{value[:40]!r} {fault}", "Correct it at its source.")
                    known.add(value)

    def check_numbers(
        self, column: str, *, whole: tuple[int, int] | None = None, within: tuple[int, int] | None = None
    ) -> None:
        """Refuse what is no finite number; with `whole`, no whole number between these two; `within`: not between."""
        for row, value in enumerate(self.columns[column]):
            if not _is_finite(value):
                self.refuse(column, row, f"is {_shown(value)}, not a number", "Correct or remove the row.")
            if whole and not isinstance(value, numbers.Integral):
                remedy = "Make the whole column whole numbers, for instance with astype('int64')."
                self.refuse(column, row, f"is {_shown(value)}, not a whole number", remedy)
            if (ends := whole or within) and not ends[0] <= value <= ends[1]:
                self.refuse(column, row, f"is {value}, not in {ends[0]}..{ends[1]}", "Correct or remove the row.")

    def merged(self, key: Sequence[str], value: str, kind: str = "object") -> tuple[pd.DataFrame, list[str]]:
        """The columns without rows that are repeated, and a note on them; two values of one key are refused.

        `kind`: dtype of the values.
        """
        frame = pd.DataFrame({column: list(values) for column, values in self.columns.items()})
        frame = frame.astype({value: kind})
        repeated = frame.duplicated([*key, value])
        once = frame[~repeated]
        if (twice := once.duplicated(list(key)).to_numpy()).any():
            row = int(once.index[twice][0])
            named = ", ".join(f"{self.names.get(name, name)} {frame.at[row, name]}" for name in key)
            self.refuse(value, row, f"has a second value for {named}", "Keep the row that is right.")
        notes = [f"{int(repeated.sum()):,} repeated rows were merged."] if repeated.any() else []
        return once.reset_index(drop=True), notes


def given_run(run: Any, name: str | None = None) -> Reading:
    """A run: a frame, a dictionary of dictionaries (query, passage, score), or records such as ir_measures' ScoredDoc.

    A frame's column rank is kept as the rank of its source; its run_id may name several runs. `name` is the run's name,
    where no column has it. Raises BadInput where a column is missing or has two of its names, an id is no text, a score
    no number, or a passage has two, and UsageError where the run has no name, or two.
    """
    value = _columns("The run", run, ("query_id", "doc_id", "score"), optional=("run_id", "rank"))
    if (name is None) == ("run_id" not in value.columns):
        fault = "has a column run_id: leave the name out" if name is not None else "has no name: give one, name='bm25'"
        raise UsageError(f"The run {fault}.")
    value.check_ids()
    value.check_numbers("score")
    if "rank" in value.columns:
        value.check_numbers("rank", whole=(0, 2**31 - 1))
    if name is not None:
        value.columns["run_id"] = [name] * len(value.columns["score"])
    frame, notes = value.merged(RANKINGS.key, "score", "float64")
    rank = trec_rank(frame)
    frame = frame.assign(rank=rank, source_rank=frame.get("rank", rank), cut=False)
    rankings = RANKINGS.frame({column: frame[column] for column in RANKINGS.names if column in frame})
    counts = {"runs": rankings["run_id"].nunique(), "rankings": len(rankings)}
    return Reading({"rankings": rankings}, counts=counts, notes=notes)


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
    value = _columns(what, qrels, ("query_id", "doc_id", "relevance"))
    value.check_ids()
    ends = (SMALLEST_GRADE, LARGEST_GRADE)
    value.check_numbers("relevance", whole=None if decimals else ends, within=ends)
    frame, notes = value.merged(("query_id", "doc_id"), "relevance", "float64" if decimals else "int64")
    exact, whole = frame["relevance"], np.floor(frame["relevance"]).astype("int64")
    columns = {"qrels_id": [qrels_id] * len(frame), **{name: frame[name] for name in frame}, "relevance": whole}
    judgments = JUDGMENTS.frame(columns)
    if decimals:
        judgments["decimal"] = exact.where(exact != whole).to_numpy()
    counts = {"queries": judgments["query_id"].nunique(), "judgments": len(judgments)}
    return Reading({"judgments": judgments}, counts=counts, notes=notes, judges=(qrels_id,))


def given_topics(topics: Any) -> Reading:
    """Texts of queries: a frame, a dictionary, or records.

    Raises BadInput where a column is missing or has two of its names, an id or a query is no text, or a query has two.
    """
    value = _columns("The topics", topics, ("query_id", "query_text"))
    value.check_ids()
    for row, text in enumerate(value.columns["query_text"]):
        if not isinstance(text, str) or not text.strip():
            remedy = "Give the query's words, or remove the row."
            value.refuse("query_text", row, f"is {_shown(text)}, not text", remedy)
    frame, notes = value.merged(("query_id",), "query_text")
    queries = QUERIES.frame({name: frame[name] for name in frame})
    return Reading({"queries": queries}, counts={"queries": len(queries)}, notes=notes)


def given_passages(passages: Any) -> Iterator[Passage]:
    """Passages, one after the other: a frame, {id: text}, or records, which may be as many as a corpus has.

    Records are those of ir_datasets (`docs_iter()`), other objects with such fields, or dictionaries; fields have the
    names that files have, and text may be ir_datasets' default text. Raises BadInput where an id is missing, or an id
    or a text is no text; when it comes.
    """
    if isinstance(passages, pd.DataFrame):
        names = [str(name) for name in passages.columns]
        records: Iterable[Any] = (
            dict(zip(names, row, strict=True)) for row in passages.itertuples(index=False, name=None)
        )
    elif isinstance(passages, Mapping):
        records = ({"id": doc_id, "text": text} for doc_id, text in passages.items())
    elif isinstance(passages, str | bytes) or not isinstance(passages, Iterable):
        what = type(passages).__name__
        raise BadInput(f"The passages: is of type {what}. Give a DataFrame, a dictionary or records.")
    else:
        records = passages
    for row, record in enumerate(records):
        field_of = record.get if isinstance(record, Mapping) else lambda name, its=record: getattr(its, name, None)
        yield _passage(row, field_of)


def _passage(row: int, of: Callable[[str], Any]) -> Passage:
    """A passage of a record's fields; None stands for one that is not there."""
    doc_id = next((value for name in IDS if (value := of(name)) is not None), None)
    texts = [value for name in TEXTS if isinstance(value := of(name), str)]
    title = of("title")
    if not texts and callable(default := of("default_text")):
        texts, title = [str(default())], ""
    if not isinstance(doc_id, str):
        _refuse_passage(row, "id", doc_id, IDS)
    text = next((value for name in TEXTS if not _is_missing(value := of(name))), None)
    if (text is not None and not texts) or not is_utf8("".join(map(str, (title, *texts)))):
        _refuse_passage(row, "text", text, TEXTS)
    return row, doc_id, title if isinstance(title, str) else "", next(filter(None, texts), "" if texts else None)


def _refuse_passage(row: int, what: str, value: Any, names: Sequence[str]) -> NoReturn:
    shown = "none" if value is None else _shown(value)
    fault = f"record {row} has no {what} that is a text (it is {shown}). Its field is one of {', '.join(names)}."
    raise BadInput(visible(f"The passages: {fault} Nothing was stored."))


def described(value: Any) -> str:
    """What is given, as the list of imports names it."""
    if isinstance(value, pd.DataFrame):
        return "a DataFrame"
    return "a dictionary" if isinstance(value, Mapping) else "records"


def _columns(what: str, value: Any, needed: Sequence[str], *, optional: Sequence[str] = ()) -> _Given:
    if isinstance(value, pd.DataFrame):
        return _of_frame(what, value, needed, optional)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise BadInput(f"{what}: is of type {type(value).__name__}. Give a DataFrame, a dictionary or records.")
    if isinstance(value, Mapping):
        return _of_mapping(what, value, needed)
    try:
        records = pd.DataFrame(list(value))
    except (TypeError, ValueError) as error:
        raise BadInput(visible(f"{what}: records of different kinds ({error}). Nothing was stored.")) from None
    return _of_frame(what, records if len(records) else pd.DataFrame(columns=list(needed)), needed, optional)


def _of_frame(what: str, frame: pd.DataFrame, needed: Sequence[str], optional: Sequence[str]) -> _Given:
    listed = ", ".join(map(str, frame.columns))
    names: dict[str, str] = {}
    for column in (*needed, *optional):
        own_names = [name for name in NAMES[column] for own in frame.columns if own == name]
        if len(own_names) > 1:
            raise BadInput(visible(f"{what}: has two columns for one thing, {' and '.join(own_names)}. Leave one out."))
        if not own_names and column in needed:
            raise BadInput(visible(f"{what}: has no column {' or '.join(NAMES[column])}. It has: {listed or 'none'}."))
        if own_names:
            names[column] = own_names[0]
    return _Given(what, {column: frame[name].tolist() for column, name in names.items()}, names)


def _of_mapping(what: str, fields: Mapping[Any, Any], needed: Sequence[str]) -> _Given:
    names = {column: column for column in needed}
    if len(needed) == 2:
        return _Given(what, dict(zip(needed, (list(fields), list(fields.values())), strict=True)), names)
    for query, row in fields.items():
        if not isinstance(row, Mapping):
            raise BadInput(
                visible(f"{what}: query {query} has a {type(row).__name__} where a dictionary of passages belongs.")
            )
    rows = [(query, doc, value) for query, row in fields.items() for doc, value in row.items()]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return _Given(what, dict(zip(needed, map(list, columns), strict=True)), names)


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def _shown(value: Any) -> str:
    text = str(value)
    return f"{text[:40]} ({type(value).__name__})" if text else f"empty ({type(value).__name__})"
