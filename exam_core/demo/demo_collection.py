"""The demo: a small test collection written for the project, ranked and graded when it is built."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd

from exam_core.demo.demo_runs import demo_runs
from exam_core.demo.embedded import TOPICS
from exam_core.formats import Reading
from exam_core.formats.leaderboards import with_ranks
from exam_core.formats.ranking import trec_rank
from exam_core.formats.workbench import text_hash
from exam_core.grading.modes.lexical_grader import ABOUT, GRADER_ID, lexical_grades
from exam_core.measures.trec_eval import trec_measure
from exam_core.tables import JUDGMENTS, LEADERBOARDS, OFFICIAL, PASSAGES, POOL, QUERIES, QUESTIONS, RANKINGS

OPEN, MANUAL = "open", "manual"
OFFICIAL_MEASURE = "AP(rel=2)"
GRADED_DEPTH = 20


def demo_collection() -> Reading:
    """The demo's tables, made from the topics: runs by real rankers, grades by the lexical grader."""
    topics = read_topics()
    passages, judgments = documents(topics), judged(topics, OFFICIAL)
    rankings = _rankings(topics, dict(zip(passages["doc_id"], passages["passage_text"], strict=True)))
    pool = _pool(judgments, rankings)
    frames = {
        "queries": queries(topics),
        "passages": passages,
        "pool": pool,
        "rankings": rankings,
        "judgments": judgments,
        "questions": _questions(topics),
        "leaderboards": _official(judgments, rankings),
    }
    frames["grades"] = lexical_grades(frames["questions"], frames["passages"], pool)
    counts = {
        "queries": len(topics),
        "passages": len(pool),
        "distinct passages": len(passages),
        "questions": len(frames["questions"]),
        "grades": len(frames["grades"]),
        "runs": rankings["run_id"].nunique(),
        "judgments": len(judgments),
    }
    notes = [f"Graded by {GRADER_ID}: word overlap, not a language model."]
    return Reading(frames, {GRADER_ID: ABOUT}, counts, notes)


def read_topics() -> list[dict[str, Any]]:
    """The topics: queries with judged passages and questions."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(TOPICS.glob("*.json"))]


def queries(topics: list[dict[str, Any]]) -> pd.DataFrame:
    """`QUERIES` of topics."""
    names = ("query_id", "query_text", "title", "subtopic")
    return QUERIES.frame({name: [topic[name] for topic in topics] for name in names})


def documents(topics: list[dict[str, Any]]) -> pd.DataFrame:
    """`PASSAGES` of topics."""
    texts = [(passage["doc_id"], passage["text"]) for topic in topics for passage in topic["passages"]]
    return PASSAGES.of((doc_id, text, text_hash(text)) for doc_id, text in texts)


def judged(topics: list[dict[str, Any]], name: str) -> pd.DataFrame:
    """`JUDGMENTS` of topics, under a name."""
    return JUDGMENTS.of(
        (name, topic["query_id"], one["doc_id"], one["relevance"]) for topic in topics for one in topic["passages"]
    )


def _rankings(topics: list[dict[str, Any]], texts: dict[str, str]) -> pd.DataFrame:
    queries = {
        topic["query_id"]: (f"{topic['query_text']} {topic['title']} {topic['subtopic']}", topic["title"])
        for topic in topics
    }
    rows = demo_runs(queries, texts)
    frame = RANKINGS.frame(
        _columns(("run_id", "query_id", "doc_id", "score"), rows)
        | {"rank": np.zeros(len(rows), int), "source_rank": np.zeros(len(rows), int), "cut": [False] * len(rows)}
    )
    frame["rank"] = trec_rank(frame)
    frame["source_rank"] = frame["rank"]
    return frame


def _pool(judgments: pd.DataFrame, rankings: pd.DataFrame) -> pd.DataFrame:
    """What is graded: all judged passages and the first 20 of every run, as in the papers."""
    first = rankings[rankings["rank"] <= GRADED_DEPTH]
    pairs = pd.concat([judgments, first])[["query_id", "doc_id"]].drop_duplicates()
    pairs = pairs.sort_values(["query_id", "doc_id"], ignore_index=True)
    return POOL.frame({"query_id": pairs["query_id"], "doc_id": pairs["doc_id"], "position": range(len(pairs))})


def _questions(topics: list[dict[str, Any]]) -> pd.DataFrame:
    rows = [(OPEN, topic["query_id"], text, None) for topic in topics for text in topic["open_questions"]] + [
        (MANUAL, topic["query_id"], item["question"], item["gold_answers"])
        for topic in topics
        for item in topic["manual_questions"]
    ]
    columns = _columns(("bank_id", "query_id", "question_text", "gold_answers"), rows)
    ids = [
        f"{query_id}/{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()}"
        for query_id, text in zip(columns["query_id"], columns["question_text"], strict=True)
    ]
    size = len(rows)
    return QUESTIONS.frame(
        columns | {"version": [1] * size, "question_id": ids, "weight": [1.0] * size, "enabled": [True] * size}
    )


def _official(judgments: pd.DataFrame, rankings: pd.DataFrame) -> pd.DataFrame:
    """The official leaderboard of the demo: mean average precision over the judgments, relevant from 2."""
    rows = []
    runs = {str(run_id): run for run_id, run in rankings.groupby("run_id")}
    for run_id, values in trec_measure(OFFICIAL_MEASURE, judgments, runs).items():
        rows.append((OFFICIAL, run_id, values.mean(), values.std() / np.sqrt(len(values))))
    return with_ranks(LEADERBOARDS.frame(_columns(("leaderboard_id", "run_id", "score", "stderr"), rows)))


def _columns(names: Any, rows: Any) -> dict[str, Any]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
