"""trec_eval's measures through ir_measures: the reference that our own are tested against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures
import pandas as pd


def trec_evaluator(measures: Sequence[str], judgments: pd.DataFrame) -> ir_measures.Evaluator:
    """ir_measures' evaluator of several measures over one set of judgments."""
    qrels = judgments[["query_id", "doc_id", "relevance"]].astype({"relevance": int})
    return ir_measures.evaluator([ir_measures.parse_measure(measure) for measure in measures], qrels)


def trec_measure(measure: str, judgments: pd.DataFrame, runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A measure of several runs for each judged query, by trec_eval.

    Parameters
    ----------
    measure : as ir_measures spells it, for instance `AP(rel=2)`
    judgments : query_id, doc_id, relevance; runs : by name, query_id, doc_id, score

    Returns
    -------
    Frame of queries x runs; 0 where a run has nothing for a judged query (trec_eval -c)
    """
    evaluator = trec_evaluator([measure], judgments)
    found = {
        name: {
            value.query_id: float(value.value) for value in evaluator.iter_calc(run[["query_id", "doc_id", "score"]])
        }
        for name, run in runs.items()
    }
    return pd.DataFrame(found, index=judgments["query_id"].unique()).fillna(0.0)
