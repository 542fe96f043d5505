"""The lexical grader: counts words, understands nothing; the default that needs no model.

A question is matched as POURPRE matches a nugget (Lin & Demner-Fushman 2005): the weight of the key's
terms that occur in the passage over the weight of all its terms; a term weighs its idf. The key is the
question's answer, or, where it has none, the content words of the question itself. So a passage that
merely repeats the question is graded like one that answers it, and a paraphrase is missed. It makes the
demo work offline; it is no substitute for a language model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from exam_core.aliases import LEXICAL
from exam_core.tables import GRADES
from exam_core.texts.words import content_stems, question_keys

GRADER_ID = LEXICAL
ABOUT: dict[str, Any] = {
    "kind": "lexical",
    "scale": 5,
    "item": "question",
    "rated": True,
    "llm": "lexical",
    "about": "word overlap, not a language model. Grade = five times the idf-weighted share of the answer key's "
    "(or the question's) words that occur in the passage, rounded down.",
    "prompt_info": {"prompt_class": "pourpre-idf", "is_self_rated": True},
    "llm_options": {},
}


def grade_of(score: float) -> int:
    """Grade 0..5 of a match score in [0, 1]: five times the score, rounded down."""
    return math.floor(5 * score + 1e-9)


def match_score(key: Sequence[str], passage: frozenset[str], idf: Callable[[str], float]) -> float:
    """Weight of the key's terms that occur in the passage over the weight of all its terms, in [0, 1]; 0 without terms.

    Source: Lin & Demner-Fushman 2005 (POURPRE), section 4: term weights idf, unigrams.
    """
    total = sum(idf(term) for term in key)
    return sum(idf(term) for term in key if term in passage) / total if total else 0.0


def best_match(
    keys: Sequence[list[str]], passage: frozenset[str], idf: Callable[[str], float]
) -> tuple[float, list[str]]:
    """The largest match score of a question's keys with a passage, and its key."""
    return max((match_score(key, passage, idf), key) for key in keys)


def lexical_grades(questions: pd.DataFrame, passages: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Grade every question of a query on every passage of the query, for these pairs of query_id and doc_id.

    Returns a frame of the grades table, whose `answer` holds the matched stems of the best key, for reading.
    """
    stems = {
        doc_id: frozenset(content_stems(text if isinstance(text, str) else ""))
        for doc_id, text in zip(passages["doc_id"], passages["passage_text"], strict=True)
    }
    idf = inverse_document_frequency(stems.values())
    keys = {
        query_id: [(row.question_id, question_keys(row.question_text, row.gold_answers)) for row in rows.itertuples()]
        for query_id, rows in questions.groupby("query_id")
    }
    columns: dict[str, list[object]] = {column.name: [] for column in GRADES.columns if not column.later}
    for query_id, doc_id in zip(pairs["query_id"], pairs["doc_id"], strict=True):
        passage = stems.get(doc_id, frozenset())
        for question_id, alternatives in keys.get(query_id, []):
            score, matched = best_match(alternatives, passage, idf)
            answer = " ".join(term for term in matched if term in passage)
            row = (GRADER_ID, question_id, query_id, doc_id, grade_of(score), answer, None)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return GRADES.frame(columns)


def inverse_document_frequency(passages: Iterable[frozenset[str]]) -> Callable[[str], float]:
    """log(N / c) of a term that c of N passages contain; an unseen term counts as if one did."""
    counter = Counter[str]()
    total = 0
    for stems in passages:
        counter.update(stems)
        total += 1
    return lambda term: math.log(max(total, 2) / max(counter[term], 1))
