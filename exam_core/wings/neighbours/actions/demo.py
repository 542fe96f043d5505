"""The demo's collections of generated answers."""

from __future__ import annotations

from exam_core.actions.committing import Imported
from exam_core.demo.embedded import NUGGETS
from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.wings.neighbours.actions.importing_responses import responses_reading
from exam_core.wings.neighbours.actions.ranking import rank_answers
from exam_core.wings.neighbours.demo.demo_answers import demo_answers
from exam_core.wings.neighbours.demo.demo_nuggets import nugget_collection
from exam_core.wings.neighbours.formats.responses import read_responses
from exam_core.wings.neighbours.ranking_order import RankingOrder

ANSWERS, ASSIGNED = "demo-answers", "demo-nuggets"


def _build_assigned(store: Store) -> list[Imported]:
    written = responses_reading(read_responses(NUGGETS / "answers.jsonl"), "whole")
    return [_committed(store, ASSIGNED, nugget_collection(written))]


def _build_answers(store: Store) -> list[Imported]:
    """Generated answers in a collection of their own: runs of answers are no runs to evaluate."""
    made = _committed(store, ANSWERS, demo_answers())
    return [made, rank_answers(store, ANSWERS, RankingOrder("bm25"))]


def _committed(store: Store, name: str, reading: Reading) -> Imported:
    committed = store.commit(name, reading, source="demo")
    return Imported(name, committed.changed, reading.counts, reading.notes)


DEMOS = (_build_assigned, _build_answers)
