"""What a leaderboard that is drawn anew is compared with: its reference, and itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exam_core.analysis.comparisons.correlation import RANK_COEFFICIENTS
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.references import about_left_out, find_reference, no_reference, paired
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.values import Values
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import Correlations, correlations
from exam_core.numbers.resampling import bootstrap_means
from exam_core.store import Snapshot

ITSELF = "leaderboard"
"""What a redrawn leaderboard is compared with besides the reference: the leaderboard as it is."""


@dataclass(frozen=True)
class ReferenceBoard:
    """A leaderboard to compare redrawn ones with.

    Parameters
    ----------
    name : of the leaderboard
    runs : (n,) rows of the values of the runs that both have
    fixed : (n,) its scores, larger is better
    by_query : (n, Q) its values on the same queries where it was computed here; None for a stored one
    """

    name: str
    runs: Ints
    fixed: Floats
    by_query: Floats | None = None

    def over(self, means: Floats, counts: Ints | None, which: Sequence[str] = RANK_COEFFICIENTS) -> Correlations:
        """Coefficients of (draws, R) means; the reference's queries are drawn along where it has them."""
        along = counts is not None and self.by_query is not None
        truth = bootstrap_means(self.by_query, counts) if along else self.fixed  # type: ignore[arg-type]
        return correlations(means[:, self.runs], truth, which)


def to_compare_with(snapshot: Snapshot, choice: Evaluation, values: Values) -> list[ReferenceBoard]:
    """The reference, if there is one, and the leaderboard as it is; over the runs that have a mean."""
    mean, _, _ = mean_and_stderr(values.values)
    has_mean = ~np.isnan(mean)
    runs = np.flatnonzero(has_mean)
    itself = ReferenceBoard(ITSELF, runs, mean[runs])
    found = find_reference(snapshot, choice.reference, choice)
    if found is None:
        return [itself]
    both = paired(values, found)
    rows = np.flatnonzero(np.isin(values.run_ids, both.run_ids))
    kept = has_mean[rows]
    by_query = None if both.reference_values is None else both.reference_values[kept]
    return [ReferenceBoard(found.name, rows[kept], both.order[kept], by_query), itself]


def about_reference(snapshot: Snapshot, choice: Evaluation, others: Sequence[ReferenceBoard], n_runs: int) -> list[str]:
    """What a reader must know of what can't be read, and of the reference."""
    notes = scope_of(snapshot, choice).about_unreadable()
    if len(others) == 1:
        return [*notes, no_reference(snapshot)]
    return notes + about_left_out(n_runs - len(others[0].runs), n_runs, others[0].name)
