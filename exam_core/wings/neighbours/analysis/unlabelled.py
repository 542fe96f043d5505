"""What measures of texts look at, and their values."""

from __future__ import annotations

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.unlabelled import Source, Unlabelled
from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.store.summary import banks, run_ids
from exam_core.wings.neighbours.analysis.sides import AboutSides, about_sides, sides
from exam_core.wings.neighbours.measures.sides import Sides


def sides_of(snapshot: Snapshot, choice: Evaluation) -> tuple[Sides, AboutSides]:
    """What runs wrote down to the measure's depth, beside the bank's nuggets.

    Raises
    ------
    UsageError : there are no runs, or no nugget with a text
    """
    labelling = choice.labelling
    assert labelling.grading.bank is not None, "a measure of texts is of a bank"
    place = labelling.grading.bank, choice.measure.depth or labelling.depth, labelling.order
    both = sides(snapshot, *place)
    if not both.run_ids or not both.query_ids:
        what = "no runs" if not both.run_ids else f"no nugget with a text in bank {labelling.grading.bank}"
        raise UsageError(f"{snapshot.collection} has {what}: {choice.measure} compares what runs wrote with nuggets.")
    return both, about_sides(snapshot, *place)


def _of_texts(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    both, about = sides_of(snapshot, choice)
    info, options = choice.measure.info, choice.measure.options
    pooled = info.pooled(both, options) if info.pooled else None
    values = info.compute(both, options) if pooled is None else None
    notes = (*about.notes, *(info.notes(both, options) if info.notes else ()))
    return Unlabelled(list(both.run_ids), list(both.query_ids), about.returned, values, pooled, notes)


SOURCES = (Source("texts", lambda snapshot: bool(run_ids(snapshot)) and bool(banks(snapshot)), _of_texts),)
