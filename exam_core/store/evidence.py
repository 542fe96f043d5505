"""Passages with their grades, judgments and citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from exam_core.formats.corpus_files import are_among, distinct
from exam_core.progress import Progress, no_progress
from exam_core.store.database import NARROW_OF_TEXTS
from exam_core.store.derived_files import on_disk
from exam_core.store.names import page_of, page_sql
from exam_core.store.pairs_to_grade import Work
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import Snapshot, cached_by_snapshot
from exam_core.tables import OFFICIAL, UNGRADED
from exam_core.wording import composed

NONE = UNGRADED
"""In a list of labels or relevances: passages that have none."""
SNIPPET = 400
"""Characters of a passage that a result shows."""
_NEAR, _BEFORE = 300, 80
"""A result begins with its passage where that has the first word in its first characters, else a little before it."""

GRADE = "0 to 5 (EXAM++, table 1): 5 answers best; empty: the answer could not be read."
"""What a grade of a passage on a question means."""
ORDERS = ("query", "label", "relevance", "disagreement")
"""How results are sorted: by query, by label or relevance (largest first), or by how far the two are apart."""


def words_of(text: str) -> list[str]:
    """The words of a search, `composed`; words in double quotes are one."""
    return [composed(quoted or word) for quoted, word in re.findall(r'"([^"]+)"|([^\s"]+)', text)]


def searched(column: str) -> str:
    """SQL of a text as it is searched, `composed`; one of ASCII letters needs no look at its accents."""
    return f"CASE WHEN strlen({column}) = length({column}) THEN lower({column}) ELSE nfc_normalize(lower({column})) END"


@dataclass(frozen=True)
class PassageSearch:
    """Which passages are searched; what is None or empty is not asked.

    Parameters
    ----------
    text : words that all occur in the passage, upper or lower case; words in double quotes stand together
    passage : doc_id, or query_id and doc_id with a blank between them
    run_id : a run that ranks the passage among its first `depth`
    labels, relevances : values that the passage may have; NONE stands for no value
    cells : of tp, fp, fn and tn, by `tau` and `relevant_from`
    """

    text: str = ""
    passage: str | None = None
    query_id: str | None = None
    run_id: str | None = None
    depth: int | None = None
    labels: tuple[int, ...] = ()
    relevances: tuple[int, ...] = ()
    cells: tuple[str, ...] = ()
    tau: float = 1
    relevant_from: int = 1
    order: str = ORDERS[0]

    @property
    def of_all(self) -> bool:
        """Whether nothing is asked: all passages, in their usual order."""
        asked = self.passage, self.query_id, self.run_id, self.labels, self.relevances, self.cells
        return not (self.text.strip() or any(asked)) and self.order == ORDERS[0]

    @property
    def words(self) -> list[str]:
        """What must occur in a passage, in lower case."""
        return words_of(self.text)


MANY = 1_000_000
"""Pairs of queries and passages from which a search of all holds few of them in memory, and takes more than seconds."""
_OF = {"query_id": f"query_id IN ($query, {page_sql('$query')})", "passage": "ends_with($passage, doc_id)"}
"""What alone is read of the tables where a query, or a passage, is asked for."""
_TEXT = searched("passage_text")
_IN_ORDER = "first NULLS LAST, unit, rank, label DESC NULLS LAST, doc_id"
# As in the gradebook: where the rankings are by facet, a page's judgments belong to each of its facets,
# and what a facet has of its own comes first; the page itself is then no unit.
_SEARCH = f"""
WITH facet AS (
    SELECT query_id AS unit, {page_sql("query_id")} AS page FROM (SELECT DISTINCT query_id FROM rankings)
    WHERE contains(query_id, '/')
), labels AS (
    SELECT unit, doc_id, label, cut FROM (SELECT *, unit AS query_id FROM labelled) WHERE <of>
), judged AS (
    SELECT unit, doc_id, relevance FROM (
        SELECT query_id AS unit, doc_id, relevance, 1 AS choice FROM judgments
        WHERE qrels_id = $qrels AND <of>
        UNION ALL
        SELECT facet.unit, doc_id, relevance, 2 FROM judgments JOIN facet ON page = query_id
        WHERE qrels_id = $qrels AND <of>
    ) QUALIFY row_number() OVER (PARTITION BY unit, doc_id ORDER BY choice) = 1
), ranked AS (
    SELECT query_id AS unit, doc_id, count(*) AS runs, min(rank) AS best_rank,
        min(rank) FILTER (run_id = $run) AS rank
    FROM rankings WHERE <of> GROUP BY ALL
), known AS (
    SELECT unit, doc_id FROM labels UNION SELECT unit, doc_id FROM judged UNION SELECT unit, doc_id FROM ranked
    UNION SELECT query_id, doc_id FROM pool WHERE query_id NOT IN (SELECT page FROM facet) AND <of>
), pair AS (
    SELECT unit, doc_id, label, relevance, coalesce(runs, 0) AS runs, best_rank, rank,
        CASE WHEN label IS NULL OR relevance IS NULL THEN NULL
            WHEN cut >= $tau THEN CASE WHEN relevance >= $relevant_from THEN 'tp' ELSE 'fp' END
            ELSE CASE WHEN relevance >= $relevant_from THEN 'fn' ELSE 'tn' END END AS cell
    FROM known LEFT JOIN labels USING (unit, doc_id) LEFT JOIN judged USING (unit, doc_id)
        LEFT JOIN ranked USING (unit, doc_id)
    WHERE unit NOT IN (SELECT page FROM facet WHERE page NOT IN (SELECT unit FROM labelled))
), found AS (
    SELECT *, CASE $order WHEN 'label' THEN -label WHEN 'relevance' THEN -relevance
        WHEN 'disagreement' THEN -abs(label - relevance) ELSE 0 END AS first
    FROM pair
    WHERE ($query IS NULL OR unit = $query)
        AND ($passage IS NULL OR doc_id = $passage OR unit || ' ' || doc_id = $passage)
        AND ($run IS NULL OR rank <= $depth)
        AND ($labels IS NULL OR list_contains($labels::INTEGER[], coalesce(label, $none)))
        AND ($relevances IS NULL OR list_contains($relevances::INTEGER[], coalesce(relevance, $none)))
        AND ($cells IS NULL OR list_contains($cells::VARCHAR[], cell))
        AND ($words IS NULL OR doc_id = $text OR doc_id IN (
            SELECT doc_id FROM passages
            WHERE list_bool_and(list_transform($words::VARCHAR[], lambda word: contains({_TEXT}, word)))
        ))
), paged AS (
    SELECT *, (SELECT count(*) FROM found) AS total FROM found ORDER BY {_IN_ORDER} LIMIT $size OFFSET $start
)
SELECT unit AS query_id, doc_id, label, relevance, cell, runs, best_rank, rank, total,
    substring(passage_text, from_here, $snippet) AS text, from_here > 1 AS starts_inside,
    length(passage_text) >= from_here + $snippet AS goes_on, length(passage_text) AS length
FROM (
    SELECT *, CASE WHEN word_at > $near THEN word_at - $before ELSE 1 END AS from_here
    FROM (
        SELECT * EXCLUDE (passage_text), nfc_normalize(passage_text) AS passage_text,
            coalesce(strpos({_TEXT}, $words[1]), 1) AS word_at
        FROM paged LEFT JOIN passages USING (doc_id)
    )
)
ORDER BY {_IN_ORDER}
"""
_NUMBERS = ("label", "relevance", "runs", "best_rank", "rank", "total", "length")
_GRADES = f"""
SELECT grader_id, grades.question_id, question_text, gold_answers, coalesce(enabled, true) AS enabled,
    grade, decimal, answer, correct
FROM grades LEFT JOIN ({IN_ORDER}) asked
    ON asked.question_id = grades.question_id AND asked.query_id = grades.query_id
WHERE grades.query_id IN (SELECT unnest($queries::VARCHAR[])) AND doc_id = $doc
    AND (grades.question_id IS NULL OR asked.question_id IS NOT NULL)
    AND (facet_id IS NULL OR grades.query_id || '/' || facet_id = $unit OR grades.query_id = $unit)
ORDER BY grades.question_id IS NULL, grader_id, grade DESC NULLS LAST, decimal DESC NULLS LAST, of_bank
"""
_JUDGMENTS = """
SELECT qrels_id, relevance FROM judgments
WHERE query_id IN (SELECT unnest($queries::VARCHAR[])) AND doc_id = $doc
QUALIFY row_number() OVER (PARTITION BY qrels_id ORDER BY query_id != $unit) = 1
ORDER BY qrels_id != 'official', qrels_id
"""
_RUNS = "SELECT run_id, rank, source_rank, score FROM rankings WHERE query_id = $unit AND doc_id = $doc ORDER BY 2, 1"
_SAME = "SELECT query_id FROM queries WHERE title = $title AND subtopic = $subtopic ORDER BY query_id"
_TEXTS = """
SELECT query_id, coalesce(query_text, concat_ws(' / ', title, subtopic)) AS query_text FROM queries
WHERE coalesce(query_text, title) IS NOT NULL
"""


def search(
    snapshot: Snapshot,
    wanted: PassageSearch,
    labelled: pa.Table,
    *,
    page: int = 1,
    size: int = 20,
    qrels_id: str = OFFICIAL,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """One page of the passages that are wanted, in one query.

    Parameters
    ----------
    labelled : unit, doc_id and label of the passages that have one, and `cut`, which is compared with tau
    page : from 1

    Returns
    -------
    query_id, doc_id, label, relevance, cell (tp, fp, fn or tn; null without both), runs (how many rank it), best_rank,
    rank (in the wanted run), total (of all pages), text (a part of the passage, around the first word that is
    searched), starts_inside and goes_on (whether there is more of it), length (of the whole passage)
    """
    values: dict[str, Any] = {
        "text": wanted.text.strip(),
        "words": wanted.words or None,
        "passage": (wanted.passage or "").strip() or None,
        "query": wanted.query_id,
        "run": wanted.run_id,
        "depth": wanted.depth or 2**31 - 1,
        "labels": list(wanted.labels) or None,
        "relevances": list(wanted.relevances) or None,
        "cells": list(wanted.cells) or None,
        "tau": wanted.tau,
        "relevant_from": wanted.relevant_from,
        "order": wanted.order,
        "none": NONE,
        "snippet": SNIPPET,
        "near": _NEAR,
        "before": _BEFORE,
        "qrels": qrels_id,
        "size": size,
        "start": (page - 1) * size,
    }
    only = [sql for name, sql in _OF.items() if getattr(wanted, name)]
    wide = not only and labelled.num_rows >= MANY
    with snapshot.cursor(narrow=wide, most=NARROW_OF_TEXTS, progress=progress) as cursor:
        cursor.register("labelled", labelled)
        sql = _SEARCH.replace("<of>", " AND ".join(only) or "true")
        frame = cursor.execute(snapshot.with_tables(sql), values).df()
    return frame.astype(dict.fromkeys(_NUMBERS, "Int64"))


def passage_text(snapshot: Snapshot, doc_id: str) -> str | None:
    """The whole text; None where only the id is known."""
    return passage_texts(snapshot, [doc_id]).get(doc_id)


def passage_texts(snapshot: Snapshot, doc_ids: Sequence[str]) -> dict[str, str]:
    """The whole texts of some passages, of those where more than the id is known."""
    frame = snapshot.query(
        "SELECT doc_id, passage_text AS text FROM passages "
        "WHERE doc_id IN (SELECT unnest($docs::VARCHAR[])) AND passage_text IS NOT NULL",
        {"docs": list(doc_ids)},
    )
    return dict(zip(frame["doc_id"], frame["text"], strict=True))


def grades_by(snapshot: Snapshot, grader: str, doc_ids: Sequence[str]) -> dict[tuple[str, str], int]:
    """What a grader made of some passages, by passage and question; of several grades of a pair the best."""
    frame = snapshot.query(
        "SELECT doc_id, question_id, max(grade) AS grade FROM grades WHERE grader_id = $grader AND grade IS NOT NULL "
        "AND question_id IS NOT NULL AND doc_id IN (SELECT unnest($docs::VARCHAR[])) GROUP BY ALL",
        {"grader": grader, "docs": list(doc_ids)},
    )
    keys = zip(frame["doc_id"], frame["question_id"], strict=True)
    return {key: int(grade) for key, grade in zip(keys, frame["grade"], strict=True)}


def grades_of(snapshot: Snapshot, query_id: str, doc_id: str, bank: tuple[str, int] | None) -> pd.DataFrame:
    """What every grader made of a passage, on a bank's questions and as a whole; best grades first, then by the bank.

    Columns: grader_id, question_id (null: the passage as a whole), question_text, gold_answers, enabled, grade,
    decimal, answer, correct.
    """
    name, version = bank or (None, None)
    return snapshot.query(_GRADES, _about(query_id, doc_id) | {"bank": name, "version": version})


def judgments_of(snapshot: Snapshot, query_id: str, doc_id: str) -> pd.DataFrame:
    """Human judgments of a passage: qrels_id, relevance."""
    return snapshot.query(_JUDGMENTS, _about(query_id, doc_id))


def runs_of(snapshot: Snapshot, query_id: str, doc_id: str) -> pd.DataFrame:
    """The runs that rank a passage, best rank first: run_id, rank, source_rank, score."""
    return snapshot.query(_RUNS, {"unit": query_id, "doc": doc_id})


def query_texts(snapshot: Snapshot) -> dict[str, str]:
    """What is asked, of the queries where that is known."""
    frame = snapshot.query(_TEXTS)
    return dict(zip(frame["query_id"], frame["query_text"], strict=True))


def ranked_queries(snapshot: Snapshot) -> list[str]:
    """The queries of the runs."""
    return [str(name) for name in snapshot.query("SELECT DISTINCT query_id FROM rankings")["query_id"]]


def queries_about(snapshot: Snapshot, title: str, subtopic: str) -> list[str]:
    """The queries with this title and subtopic."""
    return [str(name) for name in snapshot.query(_SAME, {"title": title, "subtopic": subtopic})["query_id"]]


def relevances(snapshot: Snapshot, qrels_id: str = OFFICIAL) -> list[int]:
    """The values that judgments have, largest first."""
    sql = "SELECT DISTINCT relevance FROM judgments WHERE qrels_id = ? ORDER BY 1 DESC"
    return [int(value) for value in snapshot.query(sql, [qrels_id])["relevance"]]


def _about(query_id: str, doc_id: str) -> dict[str, Any]:
    """A facet's passage has the grades and judgments of its page, too."""
    page = page_of(query_id)
    return {"unit": query_id, "queries": [query_id, page] if page else [query_id], "doc": doc_id}


SUPPORT = "support"
"""The kind of a grader that says whether cited passages support what is said of them. Its grades have the ids of
statements where others have questions', so that no board reads them."""
_CITING = """
SELECT run_id, query_id, doc_id, passages.extra FROM passages JOIN rankings USING (doc_id)
WHERE passages.extra LIKE '%"citations":%' ORDER BY run_id, query_id, rank
"""
_CITED = """
SELECT named.query_id, named.doc_id, passage_text, true AS first
FROM (SELECT unnest($queries::VARCHAR[]) AS query_id, unnest($docs::VARCHAR[]) AS doc_id) AS named
LEFT JOIN passages USING (doc_id) ORDER BY query_id, doc_id
"""
_GRADED = "SELECT question_id, query_id, doc_id FROM grades WHERE grader_id = $grader"
_QUERIES = "SELECT query_id, coalesce(query_text, title) AS query_text FROM queries"


class _CitedSentence(msgspec.Struct):
    text: str = ""
    citations: list[str] = []


class _Extra(msgspec.Struct):
    sentences: list[_CitedSentence] = []


def _citing(snapshot: Snapshot) -> Iterator[tuple[str, str, str, list[_CitedSentence]]]:
    """Run, query, passage and sentences of generated passages, by run and query in the order of the response."""
    decoder = msgspec.json.Decoder(_Extra)
    with snapshot.cursor(narrow=True) as cursor:  # of all passages
        rows = cursor.execute(snapshot.with_tables(_CITING)).fetchall()
    for run_id, query_id, doc_id, extra in rows:
        try:
            sentences = decoder.decode(extra).sentences
        except msgspec.ValidationError:
            continue  # another format's word for something else
        if sentences:
            yield run_id, query_id, str(doc_id), sentences


def cited_passages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """The passages that each generated passage of a run cites, each once, in order; also of those that cite none.

    A passage is generated where its import told its sentences (`import responses`).
    """
    return {
        doc_id: tuple(dict.fromkeys(name for sentence in sentences for name in sentence.citations))
        for _, _, doc_id, sentences in _citing(snapshot)
    }


def statements(snapshot: Snapshot) -> pd.DataFrame:
    """Every sentence of generated responses, with what it cites, by run and query in the order of the response.

    Columns: run_id, query_id, statement_id (passage and number, from 1), statement, cited (tuple of doc_ids, each once,
    in order).
    """
    rows = [
        (run_id, query_id, f"{doc_id}:{number}", sentence.text, tuple(dict.fromkeys(sentence.citations)))
        for run_id, query_id, doc_id, sentences in _citing(snapshot)
        for number, sentence in enumerate(sentences, 1)
    ]
    return pd.DataFrame(rows, columns=["run_id", "query_id", "statement_id", "statement", "cited"])


def cited_work(snapshot: Snapshot, grader_id: str) -> Work:
    """What a grader has still to say of cited passages: `Work` whose questions are statements that cite any."""
    sentences = statements(snapshot)
    sentences = sentences[sentences["cited"].map(len) > 0].reset_index(drop=True)
    request = sentences.explode("cited")
    pairs = request[["query_id", "cited"]].drop_duplicates()
    frame = snapshot.query(_CITED, {"queries": pairs["query_id"].tolist(), "docs": pairs["cited"].tolist()})
    place = {key: row for row, key in enumerate(zip(frame["query_id"], frame["doc_id"], strict=True))}
    known = set(snapshot.query(_GRADED, {"grader": grader_id}).itertuples(index=False, name=None))
    places = [
        (place[row.query_id, row.cited], row.Index)
        for row in request.itertuples()
        if (row.statement_id, row.query_id, row.cited) not in known
    ]
    questions = sentences.rename(columns={"statement_id": "question_id", "statement": "question_text"})
    questions = questions.assign(facet_id=None, gold_answers=None)
    questions = questions.merge(snapshot.query(_QUERIES), on="query_id", how="left")
    missing = pd.DataFrame(places, columns=["pair", "question"], dtype="int64")
    graded = len(request) - len(missing)
    return Work(frame, questions, missing["pair"].to_numpy(), missing["question"].to_numpy(), graded, True)


_NAMED = " UNION ALL ".join(f"SELECT doc_id FROM {table}" for table in ("pool", "judgments", "grades", "rankings"))
# A text has a hash: the texts themselves are not read.
_WITH_TEXT = "SELECT doc_id FROM passages WHERE text_hash IS NOT NULL"
_BATCH = 2**14


@dataclass(frozen=True)
class TextCounts:
    """How many passages runs, judgments, pools and grades name, and how many of these have no text."""

    named: int
    textless: int


def named_passages(snapshot: Snapshot) -> Iterator[str]:
    """Ids of the passages that a run, a judgment, a pool or a grade names, or a response cites; some several times."""
    with snapshot.cursor(narrow=True) as cursor:
        for batch in cursor.sql(snapshot.with_tables(_NAMED)).to_arrow_reader(_BATCH):
            yield from batch.column(0).to_pylist()
    yield from chain.from_iterable(cited_passages(snapshot).values())


@cached_by_snapshot(64)
@on_disk
def texts_of_named(snapshot: Snapshot) -> TextCounts:
    """How many passages are named, and how many of these have no text."""
    named, with_text = _distinct(snapshot, _NAMED, _WITH_TEXT)
    batches = (named[start : start + _BATCH] for start in range(0, len(named), _BATCH))
    return TextCounts(len(named), sum(int((~are_among(with_text, ids)).sum()) for ids in batches))


def _distinct(snapshot: Snapshot, *selects: str) -> Iterator[npt.NDArray[np.int64]]:
    """What DuckDB makes of ids that rows have, each once."""
    with snapshot.cursor(narrow=True) as cursor:
        for sql in selects:
            hashes = cursor.sql(snapshot.with_tables(f"SELECT hash(doc_id) FROM ({sql})")).to_arrow_reader(_BATCH)
            yield distinct(batch.column(0).to_numpy(zero_copy_only=False).view(np.int64) for batch in hashes)
