"""Subsets of questions, and pairs and tiers of runs that differ significantly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.values import Values, book_as_read, counted_values, no_runs
from exam_core.errors import UndefinedMeasure, UsageError
from exam_core.measures import Measure
from exam_core.measures.gradebook import Gradebook
from exam_core.measures.sweep import sweep
from exam_core.numbers import significance_tests as measures
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import counted_mask, mean_and_stderr
from exam_core.request import BoardTest, PairTest
from exam_core.store import Snapshot


@dataclass(frozen=True)
class Redrawing:
    """A choice's sweep, ready to be repeated with fewer questions."""

    choice: Evaluation
    book: Gradebook
    measure: Measure

    def values(self, asked: Bools) -> Floats:
        """The choice's values where only some questions are asked.

        `asked` is (Q, S), false for questions that are switched off. Returns (R, Q) values; NaN where a query has no
        question, or does not count for a run.
        """
        book, choice, labelling = self.book.enabling(asked), self.choice, self.choice.labelling
        array = sweep(
            book, [self.measure], taus=(choice.level,), label_rank=labelling.label_rank, label_map=labelling.label_map
        )
        book.labellings.clear()  # they hold the book, which would stay until the garbage collector's next full round
        return np.where(counted_mask(self.book.answering, skips=choice.missing == "skip"), array[0, 0], np.nan)


def redrawing(snapshot: Snapshot, choice: Evaluation) -> Redrawing:
    """The `Redrawing` of a choice. Raises UndefinedMeasure where the choice has no questions."""
    choice = choice.as_read
    book = book_as_read(snapshot, choice)
    if not book.has_questions:
        raise UndefinedMeasure(
            "This grading mode labels whole passages and has no questions to resample. Choose one that grades "
            "questions, or resample queries."
        )
    return Redrawing(choice, book, choice.measure)


def values_of_runs(snapshot: Snapshot, choice: Evaluation) -> Values:
    """The choice's values by run and query. Raises UsageError where there are no runs to compare."""
    values = counted_values(snapshot, choice)
    if not values.run_ids:
        raise UsageError(no_runs(snapshot))
    return values


def shuffled_places(enabled: Bools, rng: np.random.Generator) -> Ints:
    """(Q, S) place of each question in a random order of its query's questions, from 0; those switched off come last.

    The first n are a random subset of n questions, and part of the subset of n + 1.
    """
    keys = np.where(enabled, rng.random(enabled.shape), 1.0)
    return np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1, kind="stable")


ALPHA = 0.05
CRITERIA = {
    "error_bars": "error bars (mean ± standard error) don't overlap",
    "t": "paired t",
    "t_holm": "paired t, Holm",
    "bootstrap": "paired bootstrap",
    "bootstrap_holm": "paired bootstrap, Holm",
    "randomisation": "randomisation",
    "randomisation_holm": "randomisation, Holm",
    "wilcoxon": "Wilcoxon's signed ranks",
    "wilcoxon_holm": "Wilcoxon's signed ranks, Holm",
    "tukey": "randomised Tukey HSD",
}
"""Names of the criteria by which runs differ."""
TESTS: dict[PairTest, Callable[[Floats, int, int], Floats]] = {
    "t": lambda values, _draws, _seed: measures.paired_t(values),
    "bootstrap": measures.paired_bootstrap,
    "randomisation": measures.randomisation,
    "wilcoxon": lambda values, _draws, _seed: measures.wilcoxon(values),
}
USUAL_TESTS: tuple[PairTest, ...] = ("t", "bootstrap", "randomisation")
"""Those whose shares of pairs stand beside the chosen test's."""


def all_pairs(test: BoardTest, values: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """(R, R) p of every pair of runs by a test over (R, Q) values, and p adjusted for all pairs.

    The randomised Tukey HSD test adjusts for all pairs itself, so that both are equal; others are adjusted by Holm.
    """
    if test == "tukey":
        p = measures.tukey(values, draws, seed)
        return p, p
    p = TESTS[test](values, draws, seed)
    return p, measures.holm(p)


def criterion(test: BoardTest) -> str:
    """The key of `CRITERIA` for a test with its adjustment for all pairs."""
    return test if test == "tukey" else f"{test}_holm"


RANK_INTERVAL_LABEL = "95% rank interval"
RANK_INTERVAL = (
    "95% interval of the run's rank with unlimited queries, from 2,000 simulations of the true means, with a fixed "
    "seed. docs/explanation/intervals.md says how often such intervals hold."
)
TIER = "A tier ends before the first run that is significantly worse than its best run"
BY_T = "(paired t-test, p < 0.05 after Holm's adjustment for all pairs)"
BY_BARS = "or whose printed error bar does not overlap"
"""The ends of a tier: with values by query, and of printed figures."""


def tiers(values: Floats) -> Ints:
    """(R,) tier of each run from 1 by (R, Q) values, by the paired t-test with Holm's adjustment; 0 without a mean."""
    mean, _, _ = mean_and_stderr(values)
    return measures.tiers(mean, measures.holm(measures.paired_t(values)) < ALPHA)


def tiers_by_bars(mean: Floats, stderr: Floats) -> Ints:
    """(R,) tier of each run by error bars that don't overlap; 0 where no run has one."""
    if np.isnan(stderr).all():
        return np.zeros(len(mean), np.int64)
    return measures.tiers(mean, ~measures.overlap(mean, stderr))


def tier_column(tier: Ints) -> pd.Series:
    """Tiers as a column: NA for a run that has none."""
    frame = pd.Series(tier, dtype="Int64")
    return frame.mask(frame == 0)


DRAWING: tuple[BoardTest, ...] = ("bootstrap", "randomisation", "tukey")
"""Tests that draw, whose p has a smallest value."""


def about_draws(draws: int, pairs: int) -> list[str]:
    """A note where the tests by draws can't find anything after Holm's adjustment."""
    needed = round(pairs / ALPHA)
    if draws >= needed:
        return []
    return [
        f"With {draws:,} samples the bootstrap and the randomisation test have no p below 1/{draws + 1:,}; with Holm's "
        f"adjustment for {pairs:,} pairs they need at least {needed:,} samples (--draws)."
    ]
