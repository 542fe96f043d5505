"""What measures of texts and of stored ranks look at, and their values."""

from __future__ import annotations

import numpy as np

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.unlabelled import MeasureSource, Unlabelled
from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.store.summary import banks, run_ids
from exam_core.wings.neighbours.analysis.ranked import choose_ranker, ranked_answers, rankers_of
from exam_core.wings.neighbours.analysis.text_sides import AboutSides, about_sides


def sides_of(snapshot: Snapshot, choice: Evaluation) -> AboutSides:
    """What runs wrote down to the measure's depth, beside the bank's nuggets.

    Raises UsageError where there are no runs, or no nugget with a text.
    """
    labelling = choice.labelling
    assert labelling.grading.bank is not None, "a measure of texts is of a bank"
    found = about_sides(snapshot, labelling.grading.bank, choice.measure.depth or labelling.depth, labelling.order)
    if not found.sides.run_ids or not found.sides.query_ids:
        what = "no runs" if not found.sides.run_ids else f"no nugget with a text in bank {labelling.grading.bank}"
        raise UsageError(f"{snapshot.collection} has {what}: {choice.measure} compares what runs wrote with nuggets.")
    return found


def _of_texts(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    about = sides_of(snapshot, choice)
    both = about.sides
    info, options = choice.measure.info, choice.measure.options
    pooled = info.pooled(both, options) if info.pooled else None
    values = info.compute(both, options) if pooled is None else None
    notes = (*about.notes, *(info.notes(both, options) if info.notes else ()))
    return Unlabelled(list(both.run_ids), list(both.query_ids), about.returned, values, pooled, notes)


def _of_scores(snapshot: Snapshot, choice: Evaluation) -> Unlabelled:
    options = choice.measure.options
    answers = ranked_answers(snapshot, choose_ranker(snapshot, options.ranker or None, "NRP(ranker={})"))
    places, shape = (answers.run, answers.query), (len(answers.runs), len(answers.queries))
    values = choice.measure.info.compute(answers.rank, answers.size, places, shape, options)
    stays = [place for place, run in enumerate(answers.run_ids) if run not in snapshot.left_out]
    returned = np.zeros(shape, bool)
    returned[places] = True
    kept = [answers.run_ids[place] for place in stays]
    # As everywhere, a query without results counts 0, unless it is asked to be left out; answers that no document was
    # ranked with have no value where documents are counted.
    return Unlabelled(kept, list(answers.queries), returned[stays], np.where(returned, values, 0.0)[stays])


def _choices(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """The rankers that a collection has; empty is its only one."""
    return {"ranker": ("", *rankers_of(snapshot))}


SOURCES = (
    MeasureSource("texts", lambda snapshot: bool(run_ids(snapshot)) and bool(banks(snapshot)), _of_texts),
    MeasureSource("scores", lambda snapshot: bool(rankers_of(snapshot)), _of_scores, _choices),
)
