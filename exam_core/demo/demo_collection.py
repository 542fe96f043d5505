"""The demo's collection: its bank, passages, runs and grades."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from exam_core.formats import Reading
from exam_core.formats.leaderboards import with_ranks
from exam_core.formats.reading import trec_rank
from exam_core.formats.workbench import text_hash
from exam_core.grading.modes.lexical_grader import ABOUT, GRADER_ID, lexical_grades
from exam_core.measures.trec_eval import trec_measure
from exam_core.printed import PUBLISHED as PUBLISHED
from exam_core.tables import JUDGMENTS, LEADERBOARDS, OFFICIAL, PASSAGES, POOL, QUERIES, QUESTIONS, RANKINGS
from exam_core.texts.rankers import K1, B, bm25_idf, saturated, terms
from exam_core.texts.words import STOP_WORDS, words

Floats = npt.NDArray[np.float64]
Ranker = Callable[[str], Floats]
"""A query's score for every passage; larger is better."""

SEED = 20_19


class Bm25:
    """Okapi BM25 over stemmed words."""

    def __init__(self, texts: Sequence[str], k1: float = K1, b: float = B) -> None:
        self.vectorizer = CountVectorizer(tokenizer=terms, lowercase=False, token_pattern=None)
        self.counts = self.vectorizer.fit_transform(texts).toarray().astype(float)
        lengths = self.counts.sum(axis=1, keepdims=True)
        result = (self.counts > 0).sum(axis=0)
        self.idf = bm25_idf(len(texts), result)
        self.weights = saturated(self.counts, lengths, lengths.mean(), k1, b)

    def score(self, query: Floats) -> Floats:
        """Score of every passage for a query given as term weights."""
        return self.weights @ (query * self.idf)

    def terms(self, text: str) -> Floats:
        """A text's term counts."""
        return self.vectorizer.transform([text]).toarray()[0].astype(float)

    def __call__(self, query: str) -> Floats:
        return self.score(self.terms(query))

    def expanded(self, query: str, feedback: int, terms: int, weight: float) -> Floats:
        """Pseudo-relevance feedback (Rocchio): the strongest terms of the first passages join the query."""
        base = self.terms(query)
        first = np.argsort(-self.score(base), kind="stable")[:feedback]
        profile = (self.weights[first] * self.idf).mean(axis=0)
        profile[np.argsort(-profile, kind="stable")[terms:]] = 0
        return self.score(base + weight * profile / max(profile.max(), 1e-12))


def _cosine(texts: Sequence[str], **options: object) -> Ranker:
    vectorizer = TfidfVectorizer(sublinear_tf=True, **options)
    matrix = vectorizer.fit_transform(texts)
    return lambda query: (matrix @ vectorizer.transform([query]).T).toarray()[:, 0]


def _lsa(texts: Sequence[str], dimensions: int) -> Ranker:
    vectorizer = TfidfVectorizer(tokenizer=terms, lowercase=False, token_pattern=None, sublinear_tf=True)
    svd = TruncatedSVD(dimensions, random_state=SEED, algorithm="arpack")
    matrix = svd.fit_transform(vectorizer.fit_transform(texts))
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    return lambda query: matrix @ svd.transform(vectorizer.transform([query]))[0]


def _any_word(texts: Sequence[str]) -> Ranker:
    """Number of different query words, common words included: broad and imprecise."""
    vocabularies = [frozenset(words(text)) for text in texts]
    return lambda query: np.array([float(len(set(words(query)) & known)) for known in vocabularies])


def _diversified(base: Bm25, candidates: int, balance: float) -> Ranker:
    """Maximal marginal relevance: each next passage must differ from those already taken."""
    vectors = base.weights * base.idf
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    similarity = vectors @ vectors.T

    def rank(query: str) -> Floats:
        relevance = base(query)
        pool = list(np.argsort(-relevance, kind="stable")[:candidates])
        scaled = relevance / max(relevance.max(), 1e-12)
        scores = np.zeros(len(relevance))
        taken: list[int] = []
        for place in range(candidates):
            nearest = similarity[:, taken].max(axis=1) if taken else np.zeros(len(relevance))
            best = max(pool, key=lambda doc: balance * scaled[doc] - (1 - balance) * nearest[doc])
            pool.remove(best)
            taken.append(best)
            scores[best] = candidates - place
        return scores

    return rank


def demo_runs(
    queries: Mapping[str, tuple[str, str]], passages: Mapping[str, str], depth: int = 50
) -> list[tuple[str, str, str, float]]:
    """Rankings of every demo run.

    Parameters
    ----------
    queries : by query_id: the query's text, and its title
    passages : texts by doc_id
    depth : passages that a run returns for a query, if it is not the one that stops early

    Returns
    -------
    (run_id, query_id, doc_id, score) rows, best first; only passages with a positive score, for
    rankers that match words
    """
    doc_ids, texts = list(passages), list(passages.values())
    bm25 = Bm25(texts)
    flat, generator = Bm25(texts, k1=0.9, b=0.1), np.random.default_rng(SEED)
    rankers: dict[str, tuple[Ranker, int]] = {
        "tfidf-cosine": (_cosine(texts, stop_words=sorted(STOP_WORDS)), depth),
        "tfidf-chargrams": (_cosine(texts, analyzer="char_wb", ngram_range=(3, 4)), depth),
        "bm25": (bm25, depth),
        "bm25-flat": (flat, depth),
        "bm25-twin-a": (flat, depth),
        "bm25-twin-b": (flat, depth),
        "bm25-top4": (bm25, 4),
        "bm25-rocchio": (lambda query: bm25.expanded(query, 4, 12, 0.4), depth),
        "bm25-rocchio-wide": (lambda query: bm25.expanded(query, 10, 40, 1.0), depth),
        "lsa-8": (_lsa(texts, 8), depth),
        "lsa-40": (_lsa(texts, 40), depth),
        "any-word": (_any_word(texts), depth),
        "mmr-broad": (_diversified(bm25, depth, 0.35), depth),
        "random": (lambda _query: generator.random(len(texts)), depth),
    }
    rows = []
    for run_id, (ranker, limit) in rankers.items():
        for query_id, (text, _) in queries.items():
            rows += _best(run_id, query_id, doc_ids, ranker(text), limit)
    title_only = Bm25(texts)
    for query_id, (_, title) in queries.items():
        rows += _best("bm25-title", query_id, doc_ids, title_only(title), depth)
    return rows


def _best(
    run_id: str, query_id: str, doc_ids: list[str], scores: Floats, limit: int
) -> list[tuple[str, str, str, float]]:
    scores = np.round(scores, 6)
    order = sorted(range(len(doc_ids)), key=lambda doc: (scores[doc], doc_ids[doc]), reverse=True)[:limit]
    return [(run_id, query_id, doc_ids[doc], float(scores[doc])) for doc in order if scores[doc] > 0]


DEMO = PUBLISHED.with_name("demo")
TOPICS = DEMO / "topics"
NUGGETS = DEMO / "nuggets"
ANSWERS = DEMO / "answers.jsonl"


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
        (name, topic["query_id"], item["doc_id"], item["relevance"]) for topic in topics for item in topic["passages"]
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
