"""Gradebooks of a collection: read from the store once, then kept while they are in use."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from exam_core.analysis.configuration import Choice, Grading, Order
from exam_core.errors import UsageError
from exam_core.measures.gradebook import HOLE, NOTHING, Gradebook
from exam_core.store import Snapshot
from exam_core.store.cells import Cells, read_cells
from exam_core.tables import UNGRADED

KEPT = 12


def gradebook(snapshot: Snapshot, choice: Choice) -> Gradebook:
    """The gradebook for a choice; measure, tau and label rank don't need another one.

    Raises
    ------
    UsageError : there are no grades on the chosen questions: nothing to evaluate
    """
    grading = choice.grading
    if grading.judgments:
        grading = Grading(judgments=grading.judgments)
    return _read(snapshot, grading, choice.depth, choice.order)


@lru_cache(maxsize=KEPT)
def _read(snapshot: Snapshot, grading: Grading, depth: int | None, order: Order) -> Gradebook:
    cells = read_cells(
        snapshot,
        bank=None if grading.bank is None else (grading.bank, grading.version),
        grader_id=grading.grader,
        qrels_id=grading.judgments,
        depth=depth,
        order=order,
    )
    if not cells.units:
        raise UsageError(_no_grades(snapshot, grading))
    return _arrays(cells, depth, has_questions=not grading.is_direct)


def _no_grades(snapshot: Snapshot, grading: Grading) -> str:
    """Why a grader that has grades has none to evaluate."""
    if grading.bank:
        return f"{grading.grader} has no grades on version {grading.version} of bank {grading.bank}."
    return (
        f"The questions that {grading.grader} graded are in no bank. Add it with: "
        f"python -m exam_core import bank FILE --bank NAME --collection {snapshot.collection}"
    )


def _arrays(cells: Cells, depth: int | None, *, has_questions: bool) -> Gradebook:
    queries, width = len(cells.units), int(cells.question_slot.max(initial=0)) + 1
    grades = np.full((len(cells.docs), width), UNGRADED, np.int16)
    grades[cells.cell_pair, cells.cell_slot] = cells.cell_grade
    enabled = np.zeros((queries, width), bool)
    enabled[cells.question_unit, cells.question_slot] = cells.enabled
    places = int(cells.ranked_place.max(initial=-1)) + 1
    slots = np.full((len(cells.runs), queries, places), NOTHING, np.int32)
    slots[cells.ranked_run, cells.ranked_unit, cells.ranked_place] = np.where(
        cells.ranked_pair < 0, HOLE, cells.ranked_pair
    )
    question_ids: list[list[str]] = [[] for _ in range(queries if has_questions else 0)]
    if has_questions:
        for unit, name in zip(cells.question_unit, cells.questions, strict=True):
            question_ids[unit].append(name)
    return Gradebook(
        run_ids=cells.runs,
        query_ids=cells.units,
        question_ids=question_ids,
        docs=cells.docs,
        pair_query=cells.pair_unit,
        grades=grades,
        enabled=enabled,
        slots=slots,
        missing=cells.missing,
        ungraded_pairs=cells.ungraded_pairs,
        ungraded_queries=cells.ungraded_units,
        depth=depth,
    )
