"""The demo of generated answers: what four invented systems wrote, which passages they cite, and the nuggets in it."""

from __future__ import annotations

import pandas as pd

from exam_core.demo.demo_collection import documents, read_topics
from exam_core.demo.embedded import NUGGETS
from exam_core.formats import Reading
from exam_core.formats.extra import decode_extra
from exam_core.grading.modes.lexical_grader import ABOUT, GRADER_ID, lexical_grades
from exam_core.tables import POOL
from exam_core.wings.neighbours.formats.nuggets import read_assignments


def nugget_collection(responses: Reading) -> Reading:
    """The tables of the demo of answers: assignments written by hand, and the lexical grades of answers and citations.

    Parameters
    ----------
    responses : the answers as whole passages, each with the sentences in `extra`
    """
    assigned = read_assignments(NUGGETS / "assignments.jsonl")
    answers, rankings = responses.frames["passages"], responses.frames["rankings"]
    pool = _pool(rankings, answers)
    passages = pd.concat([answers, _cited(set(pool["doc_id"]))], ignore_index=True)
    questions = assigned.frames["questions"]
    lexical = lexical_grades(questions[questions["enabled"]], passages, pool)
    frames = {
        "queries": assigned.frames["queries"],
        "questions": questions,
        "passages": passages,
        "rankings": rankings,
        "pool": pool,
        "grades": pd.concat([assigned.frames["grades"], lexical], ignore_index=True),
    }
    counts = {**assigned.counts, "passages": len(pool), "grades": len(frames["grades"])}
    notes = [f"Assigned by hand; {GRADER_ID} is word overlap, not a language model.", *assigned.notes]
    return Reading(frames, assigned.graders | {GRADER_ID: ABOUT}, counts, notes)


def _pool(rankings: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The answers, and every passage that one of them cites, under their queries."""
    cites = {
        doc_id: [cited for sentence in decode_extra(extra)["sentences"] for cited in sentence["citations"]]
        for doc_id, extra in zip(answers["doc_id"], answers["extra"], strict=True)
    }
    pairs = [
        (query_id, doc_id)
        for query_id, answer in zip(rankings["query_id"], rankings["doc_id"], strict=True)
        for doc_id in (answer, *cites[answer])
    ]
    queries, docs = zip(*sorted(set(pairs)), strict=True)
    return POOL.frame({"query_id": queries, "doc_id": docs, "position": range(len(queries))})


def _cited(wanted: set[str]) -> pd.DataFrame:
    known = documents(read_topics())
    return known[known["doc_id"].isin(wanted)]
