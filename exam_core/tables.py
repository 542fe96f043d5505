"""Every table of the store, once: its columns, their types and the key.

A frame is a pandas DataFrame with the columns of one of these tables, in this order. pandas and Arrow are loaded when
a frame is made: the command line's help takes names from here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Kind = Literal["text", "texts", "integer", "grade", "number", "flag", "json"]


@dataclass(frozen=True)
class Column:
    """A column: what it is called, what it holds, what it means; a later one is null in files of earlier versions."""

    name: str
    kind: Kind
    meaning: str
    nullable: bool = False
    later: bool = False


@dataclass(frozen=True)
class Table:
    """A table: its columns and the key that no two rows share."""

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def later(self) -> list[Column]:
        """The columns that files of earlier versions don't have: they are read as null."""
        return [column for column in self.columns if column.later]

    @property
    def schema(self) -> pa.Schema:
        """The table as an Arrow schema, which is also that of its Parquet files."""
        import pyarrow as pa

        types = _arrow_types()
        return pa.schema([pa.field(column.name, types[column.kind], column.nullable) for column in self.columns])

    def frame(self, columns: Mapping[str, Iterable[Any]]) -> pd.DataFrame:
        """Frame of this table from columns; a nullable column that is left out is null.

        Raises
        ------
        ValueError : a column that isn't nullable is missing, or there is one too many.
        """
        if not any(map(len, columns.values())) and not self._misfit(columns):  # type: ignore[arg-type]
            return self._without_rows.copy(deep=False)
        return self.from_arrow(self.packed(columns))

    def _misfit(self, columns: Mapping[str, Iterable[Any]]) -> str:
        """Which columns are too many, and which are missing."""
        unknown = set(columns) - set(self.names)
        missing = {column.name for column in self.columns if not column.nullable} - set(columns)
        return f"unknown columns {unknown}, missing columns {missing}" if unknown or missing else ""

    def packed(self, columns: Mapping[str, Iterable[Any]]) -> pa.Table:
        """Arrow table of this table from columns, as `frame`."""
        import pyarrow as pa

        if misfit := self._misfit(columns):
            raise ValueError(f"{self.name}: {misfit}")
        rows = len(next(iter(columns.values())))  # type: ignore[arg-type]
        arrays = [
            pa.array(columns[field.name], field.type, from_pandas=True)
            if field.name in columns
            else pa.nulls(rows, field.type)
            for field in self.schema
        ]
        return pa.table(arrays, schema=self.schema)

    @cached_property
    def _without_rows(self) -> pd.DataFrame:
        """Made once, because Arrow needs a millisecond for nothing, and files leave most tables empty."""
        return self.from_arrow(self.schema.empty_table())

    def from_arrow(self, table: pa.Table) -> pd.DataFrame:
        """Frame of this table from an Arrow table with its columns; whole numbers and flags may be null."""
        return table.select(self.names).cast(self.schema).to_pandas(types_mapper=_pandas_types().get)

    def arrow(self, frame: pd.DataFrame) -> pa.Table:
        """The frame as an Arrow table with this table's schema."""
        import pyarrow as pa

        return pa.Table.from_pandas(frame[self.names], self.schema, preserve_index=False)


@cache
def _arrow_types() -> dict[Kind, pa.DataType]:
    import pyarrow as pa

    return {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "integer": pa.int32(),
        "grade": pa.int8(),
        "number": pa.float64(),
        "flag": pa.bool_(),
        "json": pa.string(),
    }


@cache
def _pandas_types() -> dict[pa.DataType, Any]:
    import pandas as pd
    import pyarrow as pa

    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(na_value=float("nan")),
    }


_EXTRA = Column("extra", "json", "what the source file says beyond these columns", nullable=True)
_QUERY = Column("query_id", "text", "the query")
_DOC = Column("doc_id", "text", "the passage")

QUERIES = Table(
    "queries",
    "Information needs",
    ("query_id",),
    (
        _QUERY,
        Column("query_text", "text", "what the user asks; null if only the id is known", nullable=True),
        Column("title", "text", "title of the page or topic", nullable=True),
        Column("subtopic", "text", "the part of the title that is asked for", nullable=True),
        _EXTRA,
    ),
)
PASSAGES = Table(
    "passages",
    "What is ranked and graded",
    ("doc_id",),
    (
        _DOC,
        Column("passage_text", "text", "null if only labels or rankings are known", nullable=True),
        Column("text_hash", "text", "first 16 hex digits of the text's SHA-256", nullable=True),
        _EXTRA,
    ),
)
POOL = Table(
    "pool",
    "The passages that a graded file lists under a query, or that responses cite and bring along",
    ("query_id", "doc_id"),
    (
        _QUERY,
        _DOC,
        Column("position", "integer", "place in the source file, from 0"),
        _EXTRA,
    ),
)
RANKINGS = Table(
    "rankings",
    "What the runs returned",
    ("run_id", "query_id", "doc_id"),
    (
        Column("run_id", "text", "one system's output over all queries"),
        _QUERY,
        _DOC,
        Column("rank", "integer", "from 1, by score; ties by doc_id descending, as trec_eval"),
        Column("source_rank", "integer", "as in the file, from 0 or 1"),
        Column("score", "number", "the system's score"),
        Column("cut", "flag", "true where the file holds only the graded part of the ranking"),
        _EXTRA,
    ),
)
JUDGMENTS = Table(
    "judgments",
    "Human relevance labels (qrels)",
    ("qrels_id", "query_id", "doc_id"),
    (
        Column("qrels_id", "text", "the set of judgments"),
        _QUERY,
        _DOC,
        Column("relevance", "integer", "as judged; NIST uses values below 0 too"),
        _EXTRA,
    ),
)
QUESTIONS = Table(
    "questions",
    "Exam questions and nuggets, in the order of their bank's file",
    ("bank_id", "version", "question_id", "query_id"),
    (
        Column("bank_id", "text", "the question bank"),
        Column("version", "integer", "from 1; a changed bank is a new version"),
        Column("question_id", "text", "the question"),
        _QUERY,
        Column("facet_id", "text", "the part of the query it belongs to", nullable=True),
        Column("facet_text", "text", "title of that part", nullable=True),
        Column("question_text", "text", "null if only the id is known", nullable=True),
        Column("gold_answers", "texts", "answer key", nullable=True),
        Column("weight", "number", "1 unless somebody weighs the questions"),
        Column("enabled", "flag", "a question that is off does not count"),
        Column(
            "importance", "text", "vital, okay or avoid, for nuggets; other words as a file has them", nullable=True
        ),
        _EXTRA,
        Column("kind", "text", "question or claim; null: a question", nullable=True, later=True),
        Column("choices", "texts", "what a multiple-choice question lets one choose from", nullable=True, later=True),
        Column("creators", "json", "a list: who made it, as its file says", nullable=True, later=True),
        Column(
            "lineage",
            "json",
            "question_ids of the bank that it was reworded_from or merged_from",
            nullable=True,
            later=True,
        ),
    ),
)
VERSIONS = Table(
    "versions",
    "How each version of a question bank came about",
    ("bank_id", "version"),
    (
        Column("bank_id", "text", "the question bank"),
        Column("version", "integer", "from 1"),
        Column("created", "text", "time (UTC, ISO 8601)"),
        Column("author", "text", "who made it: a name, or account@machine"),
        Column("reason", "text", "why, in the author's words"),
        Column("base", "integer", "the version that was edited; null: it was brought as a whole", nullable=True),
        _EXTRA,
    ),
)
GRADES = Table(
    "grades",
    "What a grader made of a passage and a question",
    ("grader_id", "question_id", "query_id", "doc_id"),
    (
        Column("grader_id", "text", "prompt, model and options"),
        Column("question_id", "text", "null: the passage was labelled directly", nullable=True),
        _QUERY,
        _DOC,
        Column("grade", "grade", "0..5, 0..2 or 0/1; null: could not be read", nullable=True),
        Column("answer", "text", "the grader's own words", nullable=True),
        Column("correct", "flag", "verified against the answer key", nullable=True),
    ),
)
LEADERBOARDS = Table(
    "leaderboards",
    "Printed and official leaderboards",
    ("leaderboard_id", "run_id"),
    (
        Column("leaderboard_id", "text", "for instance: official"),
        Column("run_id", "text", "a system; _overall_ is the union of all"),
        Column("rank", "number", "from 1; ties share their mean rank", nullable=True),
        Column("score", "number", "null where only ranks are known", nullable=True),
        Column("stderr", "number", "standard error of the score", nullable=True),
        _EXTRA,
    ),
)
CONFUSIONS = Table(
    "confusions",
    "Printed agreement tables",
    ("confusion_id", "grade", "relevance"),
    (
        Column("confusion_id", "text", "bank and kind of table"),
        Column("grade", "text", "predicted label or range of labels, as printed"),
        Column("relevance", "text", "judgment or range of judgments, as printed"),
        Column("count", "integer", "passages"),
        Column("source", "text", "where it is printed"),
    ),
)
SCORES = Table(
    "scores",
    "What methods over texts make of a run and a query, and imported leaderboards' values by query",
    ("method", "run_id", "query_id"),
    (
        Column("method", "text", "the method with what it was made by: NRP(ranker=monot5), or leaderboard:official"),
        Column("run_id", "text", "what was scored: a run, or the answers of a system to a prompt"),
        _QUERY,
        Column("value", "number", "null where the method has none", nullable=True),
        Column("parts", "json", "what the value is made of; each method says of what", nullable=True),
        _EXTRA,
    ),
)
REVIEWS = Table(
    "reviews",
    "What people say of passages, grades and questions",
    ("review_id", "reviewer"),
    (
        Column(
            "review_id",
            "text",
            "the review among those of its reviewer; a later one of the same item by the same reviewer takes its place",
        ),
        Column("reviewer", "text", "who answered"),
        Column("created", "text", "time (UTC, ISO 8601)"),
        Column(
            "task",
            "text",
            "what was asked: relevance of a passage, grade of a passage on a question, or whether a question is good",
        ),
        _QUERY,
        Column("doc_id", "text", "the passage; null for a question", nullable=True),
        Column("question_id", "text", "the question; null for the relevance of a passage", nullable=True),
        Column("answer", "integer", "null: skipped, or taken back", nullable=True),
        Column("skipped", "text", "why there is no answer", nullable=True),
        Column("note", "text", "in the reviewer's words", nullable=True),
        Column("instruction", "text", "what the reviewer was told to do", nullable=True),
        Column("shown", "flag", "whether the model's grade was shown before the answer"),
        Column("seconds", "number", "from seeing the item to the answer", nullable=True),
        Column("queue_id", "text", "the drawn sample that the item is of; null: chosen by hand", nullable=True),
        Column("sampler", "text", "how it was drawn: uniform, runs, disagreement or gain", nullable=True),
        Column("seed", "integer", "of the draw", nullable=True),
        Column("drawn", "integer", "how many items the queue has", nullable=True),
        Column("stratum", "text", "the part of the population that it was drawn from", nullable=True),
        Column("probability", "number", "with which the item came into the queue", nullable=True),
        _EXTRA,
    ),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        QUERIES,
        PASSAGES,
        POOL,
        RANKINGS,
        JUDGMENTS,
        QUESTIONS,
        VERSIONS,
        GRADES,
        LEADERBOARDS,
        CONFUSIONS,
        SCORES,
        REVIEWS,
    )
}

LATER = ("scores", "versions", "reviews")
"""Tables that files of earlier versions don't have: they are read as if these were empty."""

OFFICIAL = "official"
"""Name of the human judgments, and of the leaderboard that others are compared with."""

OVERALL = "_overall_"
"""Name of the row that unites all systems in a printed leaderboard; no system."""


def values_of_board(leaderboard_id: str) -> str:
    """The method under which `scores` has a leaderboard's values by query."""
    return f"leaderboard:{leaderboard_id}"


def question_id(query_id: str, text: str, facet_id: str | None = None) -> str:
    """The id of a question as the authors make it: `query_id[/facet_id]/md5`, the md5 of the stripped text."""
    return id_of_digest(query_id, text.strip(), facet_id)


def id_of_digest(query_id: str, hashed: str, facet_id: str | None = None) -> str:
    """`query_id[/facet_id]/md5` of a text as it stands."""
    digest = hashlib.md5(hashed.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return "/".join([query_id, *([facet_id] if facet_id else []), digest])


def answer_id(system: str, query_id: str, prompt: str, sample: int) -> str:
    """The passage that a generated answer is stored as, named as the NRP paper's released data name answers."""
    return f"{system.replace('/', '_')}_{query_id}_{prompt}_{sample}"


def answers_run(system: str, prompt: str) -> str:
    """The run that holds a system's answers to a prompt."""
    return f"{system} {prompt}"


UNGRADED, UNREADABLE = -128, -127
"""What an array of grades holds where there is none: never graded, or an answer that can't be read.

Both are below every tau."""

VITAL, OKAY, OTHER, AVOID = 2, 1, 0, -1
"""What an array of importances holds: a question of no importance is vital, one of any other word is neither.

A question to avoid counts in rubric scores alone. The others are twice their weight in a weighted score."""

SMALLEST_GRADE, LARGEST_GRADE = UNREADABLE + 1, 127
"""What a grade or a relevance can be: a grade has one byte, and its two smallest values say that there is none."""
