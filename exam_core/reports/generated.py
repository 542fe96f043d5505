"""Answers about generated texts as JSON."""

from __future__ import annotations

from typing import Any

from exam_core.analysis.generated.experts import ExpertAgreement
from exam_core.analysis.generated.nrp import NrpFound
from exam_core.analysis.generated.rankers import Rankers


def nrp_answer(found: NrpFound, *, systems: bool = False, per_query: bool = False) -> dict[str, Any]:
    """NRP as one JSON object with what was asked at its head.

    Parameters
    ----------
    systems : rows are of systems, over all their prompts
    per_query : each query's values, too
    """
    answer = {
        "collection": found.collection,
        "ranker": found.ranker,
        "convention": found.convention,
        "rows": found.systems if systems else found.rows,
        "notes": found.notes,
    }
    return answer | ({"per_query": found.queries} if per_query else {})


def expert_answer(found: ExpertAgreement) -> dict[str, Any]:
    """Agreement with an expert as one JSON object."""
    return {
        "collection": found.collection,
        "n_tasks": found.n_tasks,
        "rbo": found.rbo,
        "kendall": found.kendall,
        "rows": found.rows,
        "places": found.places,
        "flows": found.flows,
        "notes": found.notes,
    }


def rankers_answer(found: Rankers) -> dict[str, Any]:
    """Rankers by quality as one JSON object."""
    return {
        "collection": found.collection,
        "measure": found.measure,
        "judgments": found.qrels,
        "best": found.best,
        "rows": found.rows,
        "notes": found.notes,
    }
