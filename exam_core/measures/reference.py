"""trec_eval's measures through ir_measures: the reference that our own are tested against."""

from __future__ import annotations

import ir_measures
import pandas as pd


def trec_measure(measure: str, judgments: pd.DataFrame, rankings: pd.DataFrame) -> pd.Series:
    """A measure of one run for each judged query, by trec_eval.

    Parameters
    ----------
    measure : as ir_measures spells it, for instance `AP(rel=2)`
    judgments : query_id, doc_id, relevance; rankings : query_id, doc_id, score

    Returns
    -------
    Series by query_id; 0 where the run has nothing for a judged query (trec_eval -c)
    """
    parsed = ir_measures.parse_measure(measure)
    qrels = judgments[["query_id", "doc_id", "relevance"]].astype({"relevance": int})
    values = ir_measures.iter_calc([parsed], qrels, rankings[["query_id", "doc_id", "score"]])
    found = {value.query_id: float(value.value) for value in values}
    return pd.Series({query_id: found.get(query_id, 0.0) for query_id in qrels["query_id"].unique()})
