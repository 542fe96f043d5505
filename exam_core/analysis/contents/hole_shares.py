"""Holes: places of the rankings that have no grade."""

from __future__ import annotations

import pandas as pd

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import book_as_read
from exam_core.measures.places import places_of
from exam_core.numbers.arrays import Bools
from exam_core.numbers.means import answered
from exam_core.store import Snapshot


def hole_shares(snapshot: Snapshot, choice: Evaluation) -> pd.Series:
    """Share of each run's filled places that are holes, down to the depth of the measure; see `measures.places`.

    Returns
    -------
    Series of float in [0, 1] by run_id; NaN for a run that filled none; empty where no grades are looked at
    """
    if not choice.of_grades:
        return pd.Series(dtype=float, name="holes")
    slots = gradebook(snapshot, choice.labelling).slots
    depth = choice.measure.depth or choice.labelling.depth or max(len(slots), 1)
    book, counted = book_as_read(snapshot, choice.as_read), counting(snapshot, choice)
    places = places_of(book, choice.as_read.measure.depth or depth)
    return pd.Series(places.shares(places.holes, counted), book.run_ids, name="holes")


def counting(snapshot: Snapshot, choice: Evaluation) -> Bools:
    """(R, Q) which queries count for a run, readable or not."""
    book = gradebook(snapshot, choice.labelling)
    return answered(book.answering, skips=choice.missing == "skip") & book.counted
