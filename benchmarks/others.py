"""The same labels and rankings in pytrec_eval and ir_measures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytrec_eval

from benchmarks.timing import timed
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.trec_eval import trec_evaluator
from exam_core.numbers.arrays import Floats

SPELT = {"P@20": "P_20", "AP": "map", "nDCG@20": "ndcg_cut_20", "Rprec": "Rprec", "RR": "recip_rank"}
"""Our measures, as pytrec_eval spells them."""
CUT = {
    "P@20": "P(rel={0})@20",
    "AP": "AP(rel={0})",
    "nDCG@20": "nDCG@20",
    "Rprec": "Rprec(rel={0})",
    "RR": "RR(rel={0})",
}
"""Our measures at a tau, as ir_measures spells them."""

Rows = dict[str, dict[str, float]]


class PytrecEval:
    """One evaluator for each tau, made once; each evaluation's result is thrown away."""

    def __init__(
        self, book: Gradebook, taus: tuple[int, ...], docs: list[str] | None = None, label_rank: int = 1
    ) -> None:
        self.book = book
        docs = docs or book.docs.to_pylist()
        labels = np.maximum(book.labels(label_rank), 0).tolist()
        qrels: dict[str, dict[str, int]] = {name: {} for name in book.query_ids}
        for query, doc, label in zip(book.pair_query.tolist(), docs, labels, strict=True):
            qrels[book.query_ids[query]][doc] = label
        self.runs = [_ranking(book, run, docs) for run in range(len(book.run_ids))]
        self.evaluators = {
            tau: pytrec_eval.RelevanceEvaluator(qrels, set(SPELT.values()), relevance_level=tau) for tau in taus
        }

    def evaluate(self, taus: tuple[int, ...]) -> None:
        """Every measure of every run and query."""
        for tau in taus:
            for run in self.runs:
                self.evaluators[tau].evaluate(run)

    def largest_difference(self, measures: list[Measure], taus: tuple[int, ...], values: Floats) -> float:
        """Largest difference to our (M, T, R, Q) values; a query that a run lacks is 0."""
        largest = 0.0
        for column, tau in enumerate(taus):
            for row, run in enumerate(self.runs):
                found = self.evaluators[tau].evaluate(run)
                for place, measure in enumerate(measures):
                    if str(measure) in SPELT:
                        theirs = [found.get(query, {}).get(SPELT[str(measure)], 0.0) for query in self.book.query_ids]
                        largest = max(largest, float(np.abs(values[place, column, row] - theirs).max()))
        return largest


def ir_measures_seconds(book: Gradebook, taus: tuple[int, ...]) -> float:
    """Seconds in which ir_measures computes every measure of every run, with one evaluator for each tau."""
    docs = book.docs.to_pylist()
    judgments = pd.DataFrame(
        {
            "query_id": np.asarray(book.query_ids, object)[book.pair_query],
            "doc_id": docs,
            "relevance": np.maximum(book.labels(), 0).astype(int),
        }
    )
    runs = [_as_frame(_ranking(book, run, docs)) for run in range(len(book.run_ids))]
    evaluators = [trec_evaluator([name.format(tau) for name in CUT], judgments) for tau in taus]
    return timed(lambda: [evaluator.calc_aggregate(run) for evaluator in evaluators for run in runs])[1]


def _ranking(book: Gradebook, run: int, docs: list[str]) -> Rows:
    """A run as scores by query and passage; passages that were never graded are left out, none here are."""
    places = len(book.slots)
    return {
        name: {docs[pair]: float(places - place) for place, pair in enumerate(pairs) if pair >= 0}
        for name, pairs in zip(book.query_ids, book.slots[:, run].T.tolist(), strict=True)
    }


def _as_frame(ranking: Rows) -> pd.DataFrame:
    rows = [(query, doc, score) for query, docs in ranking.items() for doc, score in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
