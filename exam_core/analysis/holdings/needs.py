"""Whether a collection has what an analysis takes."""

from __future__ import annotations

from exam_core.analysis.judges.votes import voters
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL


def is_judged(snapshot: Snapshot) -> bool:
    """Whether there are judgments to test a grader by."""
    return OFFICIAL in qrels_ids(snapshot)


def has_voters(snapshot: Snapshot) -> bool:
    """Whether several grading modes can vote, and judgments say who is right."""
    return is_judged(snapshot) and len(voters(snapshot)) > 1


def has_questions(snapshot: Snapshot) -> bool:
    """Whether questions were graded, and not whole passages alone."""
    return any(bank for banks in graded_banks(snapshot).values() for bank in banks)
