"""The demo's generated answers: short ones, written for the project in the manner of three invented systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from exam_core.demo.demo_collection import documents, judged, queries, read_topics
from exam_core.demo.embedded import ANSWERS
from exam_core.formats import Reading
from exam_core.formats.ranking import trec_rank
from exam_core.tables import RANKINGS, answer_id
from exam_core.texts.rankers import RANKERS, Counted, bm25
from exam_core.wings.neighbours.expert_orders import Orders
from exam_core.wings.neighbours.formats.answers import read_answers
from exam_core.wings.neighbours.formats.orders import orders_frame

JUDGED_BY = "relevance"
PROMPT = "explain"
EXPERT = ("albatross-large", "", "heron-medium", "wren-small")
"""The order that we would give the first answers to the prompt and the best document (an empty text), best first."""


def demo_answers() -> Reading:
    """Answers to three of the demo's queries, the judged passages of these, three rankings of them, and our orders."""
    found = read_answers(ANSWERS)
    asked = set(found.frames["queries"]["query_id"])
    topics = [topic for topic in read_topics() if topic["query_id"] in asked]
    judgments = judged(topics, JUDGED_BY)
    orders = [_orders(topic, found.frames["passages"]) for topic in topics]
    frames = {
        "queries": queries(topics),
        "passages": pd.concat([documents(topics), found.frames["passages"]], ignore_index=True),
        "rankings": pd.concat([found.frames["rankings"], _rankings(topics)], ignore_index=True),
        "judgments": judgments,
        "scores": orders_frame(orders),
    }
    counts = {"queries": len(topics), **found.counts, "judgments": len(judgments), "tasks": len(orders)}
    return Reading(frames, counts=counts)


def _rankings(topics: list[dict[str, Any]]) -> pd.DataFrame:
    """The judged passages of each query, as the lexical rankers have them."""
    rows = [
        (name, topic["query_id"], passage["doc_id"], 0, 0, round(float(score), 6), False)
        for name, ranker in RANKERS.items()
        for topic in topics
        for passage, score in zip(
            topic["passages"],
            ranker(Counted.of(topic["query_text"], [passage["text"] for passage in topic["passages"]])),
            strict=True,
        )
    ]
    frame = RANKINGS.of(rows)
    frame["rank"] = trec_rank(frame)
    frame["source_rank"] = frame["rank"]
    return frame


def _orders(topic: dict[str, Any], answers: pd.DataFrame) -> Orders:
    """Our order of three answers and the most relevant passage, and that of BM25 over all judged ones and these."""
    query_id = topic["query_id"]
    best = max(topic["passages"], key=lambda passage: passage["relevance"])["doc_id"]
    expert = tuple(answer_id(system, query_id, PROMPT, 1) if system else best for system in EXPERT)
    texts = {passage["doc_id"]: passage["text"] for passage in topic["passages"]}
    texts |= dict(zip(answers["doc_id"], answers["passage_text"], strict=True))
    names = [*(passage["doc_id"] for passage in topic["passages"]), *(name for name in expert if name != best)]
    scores = bm25(Counted.of(topic["query_text"], [texts[name] for name in names]))
    ordered = [names[place] for place in np.argsort(-scores, kind="stable")]
    return Orders(query_id, topic["query_text"], tuple(name for name in ordered if name in expert), expert)
