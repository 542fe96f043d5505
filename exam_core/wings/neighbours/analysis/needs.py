"""Whether a collection has what the neighbour methods take."""

from __future__ import annotations

from exam_core.analysis.evaluation.grade_scales import scale_of
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks
from exam_core.wings.neighbours.analysis.experts import stored_orders
from exam_core.wings.neighbours.analysis.ranked import rankers_of
from exam_core.wings.neighbours.measures.effectiveness.nuggets import SUPPORT


def is_of_nuggets(snapshot: Snapshot) -> bool:
    """Whether some question of a collection is vital, okay, or to be avoided, as nuggets are."""
    return not snapshot.query("SELECT 1 FROM questions WHERE importance IS NOT NULL LIMIT 1").empty


def has_nuggets(snapshot: Snapshot) -> bool:
    """Whether grades of questions are those of nuggets: from 0 to 2, or of questions of which some are vital."""
    graders = [grader for grader, banks in graded_banks(snapshot).items() if any(banks)]
    return bool(graders) and (is_of_nuggets(snapshot) or any(scale_of(snapshot, one) == SUPPORT for one in graders))


def has_answers(snapshot: Snapshot) -> bool:
    """Whether there are ranks of generated answers, or orders of an expert."""
    return bool(rankers_of(snapshot)) or bool(stored_orders(snapshot))
