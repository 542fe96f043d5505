"""A draw of the latent model as tables."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from benchmarks.simulation.latent import LatentDraw
from benchmarks.simulation.settings import Settings
from exam_core.grading.modes.grader_name_rules import SIMULATED
from exam_core.tables import GRADES, JUDGMENTS, OFFICIAL, PASSAGES, POOL, QUERIES, QUESTIONS, RANKINGS, UNREADABLE

BANK_ID, GRADER_ID = "simulated", SIMULATED
HEADINGS = 5.5
"""Headings of a page on average, as in TREC CAR Y3: 721 over 131 pages."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PartNames:
    """Names of what one part of the collection holds, and where its pairs begin.

    Parameters
    ----------
    runs, queries, docs : pyarrow arrays of texts; docs by pair
    questions : (Q * S,) by query
    pair : (Q, P) index of a pair among those that are present
    pair_query : (pairs,) index of its query
    """

    runs: pa.Array
    queries: pa.Array
    docs: pa.Array
    questions: pa.Array
    pair: Ints
    pair_query: Ints


def run_names(settings: Settings) -> list[str]:
    """Names of the runs."""
    width = len(str(settings.runs))
    return [f"simulated-{number:0{width}}" for number in range(1, settings.runs + 1)]


def frames_of(settings: Settings, first: int, draw: LatentDraw) -> dict[str, pd.DataFrame]:
    """The tables of a draw, whose first query has this number in the collection, from 0."""
    names = _names(settings, first, draw)
    frames = {
        "queries": _queries(settings, first, names),
        "pool": POOL.frame(
            {
                "query_id": names.queries.take(names.pair_query),
                "doc_id": names.docs,
                "position": np.nonzero(draw.present)[1],
            }
        ),
        "rankings": _rankings(names, draw),
        "judgments": _judgments(names, draw),
        "questions": _questions(settings, names),
        "grades": _grades(settings, names, draw),
    }
    return {"passages": _passages(names), **frames} if settings.texts else frames


def _names(settings: Settings, first: int, draw: LatentDraw) -> PartNames:
    width, number_width = len(str(settings.total_queries)), len(str(settings.questions))
    passage_width = len(str(-(-settings.passages // settings.queries)))
    queries = [f"q{number:0{width}}" for number in range(first + 1, first + len(draw.present) + 1)]
    pair_query, place = np.nonzero(draw.present)
    return PartNames(
        runs=pa.array(run_names(settings)),
        queries=pa.array(queries),
        docs=pa.array(
            f"{queries[query]}-{number:0{passage_width}}"
            for query, number in zip(pair_query.tolist(), (place + 1).tolist(), strict=True)
        ),
        questions=pa.array(
            f"{query}/{number:0{number_width}}" for query in queries for number in range(1, settings.questions + 1)
        ),
        pair=np.cumsum(draw.present.ravel()).reshape(draw.present.shape) - 1,
        pair_query=pair_query,
    )


def _queries(settings: Settings, first: int, names: PartNames) -> pd.DataFrame:
    pages = max(1, round(settings.total_queries / HEADINGS))
    numbers = range(first, first + len(names.queries))
    page = [number * pages // settings.total_queries for number in numbers]
    # A page's first heading is the smallest number that leads to this page.
    heading = [number - -(-at * settings.total_queries // pages) + 1 for number, at in zip(numbers, page, strict=True)]
    return QUERIES.frame(
        {
            "query_id": names.queries,
            "query_text": [
                f"Simulated page {at + 1}, heading {place}" for at, place in zip(page, heading, strict=True)
            ],
            "title": [f"Simulated page {at + 1}" for at in page],
            "subtopic": [f"Heading {place}" for place in heading],
        }
    )


def _passages(names: PartNames) -> pd.DataFrame:
    texts = [f"Simulated passage {doc_id}: it has no content." for doc_id in names.docs.to_pylist()]
    return PASSAGES.frame(
        {
            "doc_id": names.docs,
            "passage_text": texts,
            "text_hash": [hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts],
        }
    )


def _rankings(names: PartNames, draw: LatentDraw) -> pd.DataFrame:
    returned = np.isfinite(draw.scores)
    run, query, place = np.nonzero(returned)
    rank = pa.array(place + 1, pa.int32())
    return RANKINGS.frame(
        {
            "run_id": names.runs.take(run),
            "query_id": names.queries.take(query),
            "doc_id": names.docs.take(names.pair[query, draw.order[returned]]),
            "rank": rank,
            "source_rank": rank,
            "score": draw.scores[returned].astype(np.float64),
            "cut": np.zeros(len(run), bool),
        }
    )


def _judgments(names: PartNames, draw: LatentDraw) -> pd.DataFrame:
    query, _ = np.nonzero(draw.judged)
    return JUDGMENTS.frame(
        {
            "qrels_id": _repeated(OFFICIAL, len(query)),
            "query_id": names.queries.take(query),
            "doc_id": names.docs.take(names.pair[draw.judged]),
            "relevance": draw.relevance[draw.judged],
        }
    )


def _questions(settings: Settings, names: PartNames) -> pd.DataFrame:
    size = len(names.questions)
    return QUESTIONS.frame(
        {
            "bank_id": _repeated(BANK_ID, size),
            "version": np.ones(size, np.int32),
            "question_id": names.questions,
            "query_id": names.queries.take(np.repeat(np.arange(len(names.queries)), settings.questions)),
            "question_text": [f"Simulated question {name}?" for name in names.questions.to_pylist()],
            "weight": np.ones(size),
            "enabled": np.ones(size, bool),
        }
    )


def _grades(settings: Settings, names: PartNames, draw: LatentDraw) -> pd.DataFrame:
    pairs, asked = len(names.docs), settings.questions
    grades = draw.grades[draw.present].ravel()
    question = names.pair_query[:, None] * asked + np.arange(asked)
    return GRADES.frame(
        {
            "grader_id": _repeated(GRADER_ID, len(grades)),
            "question_id": names.questions.take(question.ravel()),
            "query_id": names.queries.take(np.repeat(names.pair_query, asked)),
            "doc_id": names.docs.take(np.repeat(np.arange(pairs), asked)),
            "grade": pa.array(grades, mask=grades == UNREADABLE),
        }
    )


def _repeated(text: str, size: int) -> pa.Array:
    return pa.array([text]).take(pa.array(np.zeros(size, np.int64)))
