"""The runs' lists, ready to be corrected: what a relevant passage adds to a mean, and what predicts an answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from exam_core.analysis.evaluation.books import gradebook
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.values import query_values
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Floats, Ints
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept
from exam_core.wings.reviews.numbers.corrected_means import LEAST_OPEN, Calibration, MeanParts, Sampled, calibrate


@dataclass(frozen=True, eq=False)
class Lists:
    """The runs' first passages, ready to be corrected.

    Parameters
    ----------
    features : (P, F) of each pair, about 0 with a spread of about 1
    slots : (k, R, Q) the first passages; R are the runs that have a mean
    adds : (R, Q) what a relevant passage adds to a run's mean
    grader : (R,) the grader's means
    """

    book: Gradebook
    features: Floats
    slots: npt.NDArray[np.int32]
    adds: Floats
    grader: Floats

    def calibrated(self, sampled: Sampled) -> Calibration:
        """How likely a human finds each pair relevant, by what was answered."""
        return calibrate(self.features, self.book.pair_query.astype(int), sampled)

    def parts(self, items: Ints, predicted: Floats) -> MeanParts:
        """What items add to the runs' means."""
        runs = self.slots.shape[1]
        place = np.full(len(self.features) + 2, -1)
        names, back = np.unique(items, return_inverse=True)
        place[names] = np.arange(len(names))
        at = place[self.slots]
        _, run, query = found = np.nonzero(at >= 0)
        places = run * len(names) + at[found]
        answered = np.bincount(places, self.adds[run, query], runs * len(names)).astype(float)
        held = self.slots >= 0
        values = np.r_[predicted, 0.0, 0.0][self.slots] * held
        unsure = np.maximum(predicted * (1 - predicted), LEAST_OPEN)
        unsure[names] = 0
        return MeanParts(
            answered.reshape(runs, len(names))[:, back],
            np.einsum("krq,rq->r", values, self.adds),
            np.einsum("krq,rq->r", held, self.adds),
            np.einsum("krq,rq->r", np.r_[unsure, 0.0, 0.0][self.slots], self.adds**2),
        )


@kept(8)
def lists_of(snapshot: Snapshot, choice: Evaluation) -> Lists:
    """The lists of a choice. Raises UsageError where the measure is no sum over passages, or no run has a mean."""
    info = choice.measure.info
    if choice.grading.judgments:
        raise UsageError("Human judgments are not grades that can be corrected. Leave out --judgments.")
    if info.adds is None or choice.measure.judged_only:
        raise UsageError(f"Reviews can't correct {choice.measure}: {_why_not(info.of, info.name)}")
    values = query_values(snapshot, choice)
    has_mean = np.asarray(~np.isnan(values).all(axis=1))
    book, values = gradebook(snapshot, choice.labelling).of_runs(has_mean), values[has_mean]
    if not book.run_ids:
        raise UsageError(f"{snapshot.collection} has no run with a mean of {choice.measure} that could be corrected.")
    counts = ~np.isnan(values)
    adds = info.adds(book, choice.measure.depth) * counts / counts.sum(axis=1, keepdims=True)
    return Lists(book, _features(book, choice), book.slots[: choice.measure.depth], adds, np.nanmean(values, axis=1))


def _why_not(of: str, name: str) -> str:
    if of == "questions":
        return (
            "one unseen passage can decide whether a question is covered, so a sample gives no unbiased estimate. Take "
            "P@20 or SetP."
        )
    if of == "labels":
        return f"{name} is not a sum over passages: what one adds depends on other passages. Take P@20 or SetP."
    return "it uses no labels. Take P@20 or SetP."


def _features(book: Gradebook, choice: Evaluation) -> Floats:
    """What an answer is predicted from: the label by tau, the passage's grades, and how many runs hold it."""
    asked = book.enabled[book.pair_query] & (book.grades >= 0)
    grades = np.where(asked, book.grades, 0).astype(float)
    ordered = np.sort(grades, axis=1)[:, ::-1]
    columns = [
        book.labels(choice.labelling.label_rank) >= choice.tau,
        grades.sum(axis=1) / np.maximum(asked.sum(axis=1), 1),
        ordered[:, 0],
        ordered[:, min(1, grades.shape[1] - 1)],
        (grades >= choice.tau).sum(axis=1),
        np.log1p(book.held_by),
    ]
    found = np.column_stack(columns).astype(float)
    spread = found.std(axis=0)
    return (found - found.mean(axis=0)) / np.where(spread > 0, spread, 1)
