"""What there is to grade: passages, questions, and the pairs of both that a grader has not graded yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.store.pairs import TO_GRADE
from exam_core.store.snapshot import Snapshot

_PAIRS = f"""
paired AS ({TO_GRADE}),
pairs AS (
    SELECT row_number() OVER (ORDER BY best_rank <= $depth DESC NULLS LAST, query_id, doc_id) - 1 AS place,
        query_id, doc_id, coalesce(best_rank <= $depth, false) AS first
    FROM paired
)
"""
_ASKED = """
asked AS (
    SELECT row_number() OVER (ORDER BY query_id, question_id) - 1 AS place, query_id, question_id, facet_id,
        question_text, gold_answers
    FROM questions WHERE bank_id = $bank AND version = $version AND enabled
)
"""
_DIRECT = """
asked AS (
    SELECT row_number() OVER (ORDER BY query_id) - 1 AS place, query_id, NULL::VARCHAR AS question_id,
        NULL::VARCHAR AS facet_id, NULL::VARCHAR AS question_text, NULL::VARCHAR[] AS gold_answers
    FROM (SELECT DISTINCT query_id FROM paired)
)
"""
_PAIR_TEXTS = """
SELECT pairs.query_id, pairs.doc_id, passage_text, first
FROM pairs LEFT JOIN passages USING (doc_id) ORDER BY place
"""
_QUESTION_TEXTS = """
SELECT asked.query_id, question_id, facet_id, question_text, gold_answers, coalesce(query_text, title) AS query_text
FROM asked LEFT JOIN queries USING (query_id) ORDER BY place
"""
_ITEMS = """
SELECT pairs.place AS pair, asked.place AS question, count(grades.query_id) > 0 AS graded
FROM pairs JOIN asked USING (query_id) LEFT JOIN grades ON grades.grader_id = $grader
    AND grades.query_id = pairs.query_id AND grades.doc_id = pairs.doc_id
    AND grades.question_id IS NOT DISTINCT FROM asked.question_id
GROUP BY ALL ORDER BY pair, question
"""


@dataclass(frozen=True)
class Work:
    """What a grader has to do in a collection.

    Parameters
    ----------
    pairs : query_id, doc_id, passage_text (null if it is not known), first (whether some run has it among its first)
    questions : query_id, question_id (null: the passage is labelled directly), question_text, gold_answers, query_text
    pair, question : rows of the two, one of each for each grade that is missing, those of `first` passages first
    graded : how many grades are there already
    of_citations : whether what is asked are sentences, of the passages that they cite
    """

    pairs: pd.DataFrame
    questions: pd.DataFrame
    pair: np.ndarray
    question: np.ndarray
    graded: int
    of_citations: bool = False


def work(snapshot: Snapshot, grader_id: str, bank: tuple[str, int] | None, *, depth: int = 20) -> Work:
    """The grades that are missing of a grader, on a version of a bank; without one passages are labelled as a whole.

    Passages that some run ranks within `depth` come first, so that its leaderboard is complete early.
    """
    tables = f"WITH {_PAIRS}, {_ASKED if bank else _DIRECT}"
    named: dict[str, object] = {"depth": depth} | ({"bank": bank[0], "version": bank[1]} if bank else {})
    pairs = snapshot.query(f"{tables} {_PAIR_TEXTS}", named)
    questions = snapshot.query(f"{tables} {_QUESTION_TEXTS}", named)
    grades = snapshot.query(f"{tables} {_ITEMS}", named | {"grader": grader_id})
    missing = grades[~grades["graded"].astype(bool)]
    pair, question = (missing[name].to_numpy(np.int64) for name in ("pair", "question"))
    return Work(pairs, questions, pair, question, len(grades) - len(missing))
