"""The worked example that both papers print: a query, a passage, and what the graders made of it.

Sources: EXAM (arXiv 2402.00309), sections 3.1.1 and 4.5; EXAM++ (LLM4Eval 2024), section 5.6.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

import pandas as pd

from exam_core.demo.demo_collection import PUBLISHED
from exam_core.results import ResultTable, number, text
from exam_core.store import Snapshot
from exam_core.store.evidence import GRADE, queries_about

PAPERS = {"seed000": "EXAM", "seed004": "EXAM++"}
QUESTIONS = ResultTable(
    "worked example: questions",
    "Questions of the papers' worked example; values that are not printed are null",
    text("printed_in", "Printed in"),
    text("question_text", "Question", width="large"),
    number("grade", "Self-rating", GRADE, "grade"),
    text("answer", "Extracted answer"),
)


@dataclass(frozen=True)
class WorkedExample:
    """The example as printed.

    Parameters
    ----------
    title, subtopic : of the query
    doc_id, text : the passage
    run_id, rank : a run that ranks it, and where
    relevance, meaning : its judgment, as a number and in words
    questions : `QUESTIONS`
    """

    title: str
    subtopic: str
    doc_id: str
    text: str
    run_id: str
    rank: int
    relevance: int
    meaning: str
    questions: pd.DataFrame


@cache
def worked_example() -> WorkedExample:
    """The example of both papers."""
    printed = json.loads((PUBLISHED / "worked_example.json").read_text(encoding="utf-8"))
    common = printed["common"]
    value = common["tqa_question"]
    rows = [("EXAM and EXAM++", value["question"], value["self_rating"], value["extracted_answer"])]
    for key, paper in PAPERS.items():
        request = printed[key]["generated_questions"]
        rows += [(paper, item["question"], item["self_rating"], item["extracted_answer"]) for item in request]
    return WorkedExample(
        title=common["query_title"],
        subtopic=common["query_subtopic"],
        doc_id=common["passage_id"],
        text=common["passage_text"],
        run_id=common["retrieved_by"],
        rank=common["retrieved_rank"],
        relevance=common["trec_judgment"],
        meaning=common["trec_judgment_text"],
        questions=QUESTIONS.of(rows).astype({"grade": "Int64"}),
    )


def example_queries(snapshot: Snapshot) -> list[str]:
    """The collection's queries that ask what the worked example asks."""
    example = worked_example()
    return queries_about(snapshot, example.title, example.subtopic)
