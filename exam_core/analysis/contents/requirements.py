"""Whether a collection has what an analysis takes."""

from __future__ import annotations

from collections.abc import Sequence

from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import OFFICIAL


def is_judged(snapshot: Snapshot) -> bool:
    """Whether there are judgments to test a grader by."""
    return OFFICIAL in qrels_ids(snapshot)


def is_graded(snapshot: Snapshot) -> bool:
    """Whether something is graded, or it is printed how grades agree with judgments."""
    printed = "SELECT 1 FROM confusions LIMIT 1"
    return bool(graded_banks(snapshot)) or not snapshot.query(printed).empty


def has_texts(snapshot: Snapshot) -> bool:
    """Whether some passage has a text, so that a grader has something to read."""
    return not snapshot.query("SELECT 1 FROM passages WHERE passage_text IS NOT NULL LIMIT 1").empty


def has_questions(snapshot: Snapshot) -> bool:
    """Whether questions were graded, and not whole passages alone."""
    return any(bank for banks in graded_banks(snapshot).values() for bank in banks)


def question_modes(snapshot: Snapshot, series: Sequence[str]) -> list[str]:
    """Those of the series that graded questions, and not whole passages alone."""
    banks = graded_banks(snapshot)
    return [name for name in series if any(banks.get(name, ()))]
