"""Every table of the store, once, those of wings too.

A wing declares its own as `TABLES` in its file `tables.py`; stores that were made without the wing are read as if they
were empty.
"""

from __future__ import annotations

import hashlib

from exam_core import wings
from exam_core.schema import DOC, EXTRA, QUERY, Column, Kind, Table

__all__ = ["Column", "Kind", "Table"]

QUERIES = Table(
    "queries",
    "Information needs",
    ("query_id",),
    (
        QUERY,
        Column("query_text", "text", "what the user asks; null if only the id is known", nullable=True),
        Column("title", "text", "title of the page or topic", nullable=True),
        Column("subtopic", "text", "the part of the title that is asked for", nullable=True),
        EXTRA,
    ),
)
PASSAGES = Table(
    "passages",
    "Passages that are ranked and graded",
    ("doc_id",),
    (
        DOC,
        Column("passage_text", "text", "null if only labels or rankings are known", nullable=True),
        Column("text_hash", "text", "first 16 hex digits of the text's SHA-256", nullable=True),
        EXTRA,
    ),
)
POOL = Table(
    "pool",
    "The passages that a graded file lists under a query, or that responses cite and bring along",
    ("query_id", "doc_id"),
    (QUERY, DOC, Column("position", "integer", "place in the source file, from 0"), EXTRA),
)
RANKINGS = Table(
    "rankings",
    "Passages that the runs returned",
    ("run_id", "query_id", "doc_id"),
    (
        Column("run_id", "text", "one system's output over all queries"),
        QUERY,
        DOC,
        Column("rank", "integer", "from 1, by score; ties by doc_id descending, as trec_eval"),
        Column("source_rank", "integer", "as in the file, from 0 or 1"),
        Column("score", "number", "the run's score"),
        Column("cut", "flag", "true where the file holds only the graded part of the ranking"),
        EXTRA,
    ),
)
JUDGMENTS = Table(
    "judgments",
    "Human relevance labels (qrels)",
    ("qrels_id", "query_id", "doc_id"),
    (
        Column("qrels_id", "text", "the set of judgments"),
        QUERY,
        DOC,
        Column("relevance", "integer", "as judged; NIST uses values below 0 too"),
        EXTRA,
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
        QUERY,
        Column("facet_id", "text", "the part of the query it belongs to", nullable=True),
        Column("facet_text", "text", "title of that part", nullable=True),
        Column("question_text", "text", "null if only the id is known", nullable=True),
        Column("gold_answers", "texts", "answer key", nullable=True),
        Column("weight", "number", "1 unless the questions are weighted"),
        Column("enabled", "flag", "a question that is off does not count"),
        Column(
            "importance", "text", "vital, okay or avoid, for nuggets; other words as a file has them", nullable=True
        ),
        EXTRA,
        Column("kind", "text", "question or claim; null: a question", nullable=True, later=True),
        Column("choices", "texts", "the choices of a multiple-choice question", nullable=True, later=True),
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
    "Origin of each version of a question bank",
    ("bank_id", "version"),
    (
        Column("bank_id", "text", "the question bank"),
        Column("version", "integer", "from 1"),
        Column("created", "text", "time (UTC, ISO 8601)"),
        Column("author", "text", "who made it: a name, or account@machine"),
        Column("reason", "text", "why, in the author's words"),
        Column("base", "integer", "the version that was edited; null: the bank was imported", nullable=True),
        EXTRA,
    ),
)
GRADES = Table(
    "grades",
    "Grades of passages, by question or as a whole",
    ("grader_id", "question_id", "query_id", "doc_id"),
    (
        Column("grader_id", "text", "prompt, model and options"),
        Column("question_id", "text", "null: the passage was labelled directly", nullable=True),
        QUERY,
        DOC,
        Column("grade", "grade", "0..5, 0..2 or 0/1; null: could not be read", nullable=True),
        Column("answer", "text", "the grader's own words", nullable=True),
        Column("correct", "flag", "verified against the answer key", nullable=True),
        Column(
            "decimal",
            "number",
            "the grade with its decimals, or the grade expected by the likelihoods of all grades; null: the grade",
            nullable=True,
            later=True,
        ),
    ),
)
LEADERBOARDS = Table(
    "leaderboards",
    "Printed and official leaderboards",
    ("leaderboard_id", "run_id"),
    (
        Column("leaderboard_id", "text", "for instance: official"),
        Column("run_id", "text", "a run; _overall_ is the union of all"),
        Column("rank", "number", "from 1; ties share their mean rank", nullable=True),
        Column("score", "number", "null where only ranks are known", nullable=True),
        Column("stderr", "number", "standard error of the score", nullable=True),
        EXTRA,
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
    "Values by run and query: of methods over texts, and of imported leaderboards",
    ("method", "run_id", "query_id"),
    (
        Column("method", "text", "the method with its options: NRP(ranker=monot5), or leaderboard:official"),
        Column("run_id", "text", "what was scored: a run, or the answers of a system to a prompt"),
        QUERY,
        Column("value", "number", "null where the method has none", nullable=True),
        Column("parts", "json", "parts of the value; each method has its own", nullable=True),
        EXTRA,
    ),
)
TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        *(QUERIES, PASSAGES, POOL, RANKINGS, JUDGMENTS, QUESTIONS, VERSIONS, GRADES, LEADERBOARDS, CONFUSIONS, SCORES),
        *wings.declared("tables"),
    )
}

LATER = ("scores", "versions", *(table.name for table in wings.declared("tables")))
"""Tables that files of earlier versions don't have: they are read as if these were empty."""

OFFICIAL = "official"
"""Name of the human judgments, and of the leaderboard that others are compared with."""

UNKNOWN_TIME = "1970-01-01T00:00:00.000+00:00"
"""The time of what nobody dated, as it is stored: all else is newer. People see an empty cell."""

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
