"""trec_eval's measures through ir_measures: the reference that our own are tested against."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import ir_measures
import pandas as pd


def reference_measure(text: str) -> ir_measures.Measure:
    """The measure that ir_measures spells so; its own parser takes names of Python that 3.14 no longer has.

    >>> reference_measure("P(rel=2,judged_only=True)@10")
    P(rel=2,judged_only=True)@10
    """
    named, _, depth = text.partition("@")
    name, _, options = named.removesuffix(")").partition("(")
    call = ast.parse(f"dict({options})", mode="eval").body
    assert isinstance(call, ast.Call)
    measure = ir_measures.measures.registry[name](**{str(k.arg): ast.literal_eval(k.value) for k in call.keywords})
    return measure @ int(depth) if depth else measure


def trec_evaluator(measures: Sequence[str], judgments: pd.DataFrame) -> ir_measures.Evaluator:
    """ir_measures' evaluator of several measures over one set of judgments.

    >>> judgments = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d1", "d2"], "relevance": [1, 0]})
    >>> run = [ir_measures.ScoredDoc("q", "d2", 2.0), ir_measures.ScoredDoc("q", "d1", 1.0)]
    >>> [(str(row.measure), row.value) for row in trec_evaluator(["RR", "P@1"], judgments).iter_calc(run)]
    [('RR', 0.5), ('P@1', 0.0)]
    """
    qrels = judgments[["query_id", "doc_id", "relevance"]].astype({"relevance": int})
    return ir_measures.evaluator([reference_measure(measure) for measure in measures], qrels)


def trec_measure(measure: str, judgments: pd.DataFrame, runs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A measure of several runs for each judged query, by trec_eval.

    The measure is spelled as in ir_measures, for instance `AP(rel=2)`; judgments have query_id, doc_id and relevance,
    runs (by name) query_id, doc_id and score. Returns queries x runs; 0 where a run has nothing for a judged query
    (trec_eval -c).

    >>> judgments = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d1", "d2"], "relevance": [1, 0]})
    >>> run = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d2", "d1"], "score": [2.0, 1.0]})
    >>> trec_measure("RR", judgments, {"mine": run}).loc["q", "mine"].item()
    0.5
    """
    evaluator = trec_evaluator([measure], judgments)
    tables = {
        name: {
            value.query_id: float(value.value) for value in evaluator.iter_calc(run[["query_id", "doc_id", "score"]])
        }
        for name, run in runs.items()
    }
    return pd.DataFrame(tables, index=judgments["query_id"].unique()).fillna(0.0)
