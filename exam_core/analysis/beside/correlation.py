"""How well a leaderboard agrees with a reference, and how sure that is: every coefficient with an interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from exam_core.analysis.evaluation.caveats import (
    NAMES,
    about_depth,
    about_intervals,
    about_missing_runs,
    about_rounding,
    about_unanswered,
)
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import Leaderboard, title
from exam_core.analysis.evaluation.references import (
    Paired,
    about_left_out,
    about_order,
    correlation_with,
    needed_reference,
    paired,
)
from exam_core.analysis.evaluation.values import counted_values
from exam_core.asked import Rounded
from exam_core.measures.correlation import COEFFICIENTS, Correlation
from exam_core.measures.means import mean_and_stderr, rounded_means
from exam_core.measures.resampling import bootstrap_counts, correlation_intervals
from exam_core.store import Snapshot

RANK_COEFFICIENTS = tuple(name for name in COEFFICIENTS if name not in ("r2", "rmse"))
"""Coefficients that compare orders; the others compare scores, which official ranks are not."""


@dataclass(frozen=True)
class Correlated:
    """Coefficients of a leaderboard and a reference over the runs that both have.

    `intervals` holds a pair for each coefficient that has one; a coefficient that is undefined is NaN.
    """

    leaderboard: str
    reference: str
    correlation: Correlation
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def caveats(self) -> list[str]:
        """What must be read with the intervals."""
        return about_intervals(
            {
                name: (float(getattr(self.correlation, one)), *self.intervals[one])
                for one, name in NAMES.items()
                if one in self.intervals
            }
        )


def correlations_of(snapshot: Snapshot, choices: Sequence[Evaluation]) -> list[Correlated]:
    """The correlation of each choice's leaderboard with its reference.

    The 95% intervals come from a bootstrap of the queries, the same draws for every choice; where the
    reference was computed here, its queries are drawn along. Where means are rounded, those of the draws are not:
    an interval is about the queries.

    Raises
    ------
    UsageError : no such reference, or none to compare with
    """
    found = []
    for choice in choices:
        other = needed_reference(snapshot, choice.reference, choice)
        values = counted_values(snapshot, choice)
        both = paired(values, other)
        one = _correlated(title(choice), both, len(values.run_ids), choice.rounded)
        found.append(replace(one, notes=one.notes + _about(snapshot, choice, both)))
    return found


def of_boards(boards: Iterable[Leaderboard]) -> list[Correlated]:
    """The correlation that each leaderboard has; without values by query there are no intervals."""
    return [Correlated(board.title, str(board.reference), board.correlation) for board in boards if board.correlation]


def coefficients(both: Paired, rounded: Rounded = "none") -> Correlation:
    """Every coefficient of the mean values and the reference; those of scores are NaN where it has only ranks."""
    mean, _, _ = mean_and_stderr(both.values)
    mean = rounded_means(mean) if rounded == "trec_eval" else mean
    return correlation_with(mean, both.order, of_scores=both.has_scores)


def _about(snapshot: Snapshot, choice: Evaluation, both: Paired) -> list[str]:
    """What a reader must know of the runs that are correlated."""
    mean, _, _ = mean_and_stderr(both.values)
    computed = both.reference.values is not None
    return [
        *about_depth(snapshot, choice),
        *both.reference.notes,
        *about_missing_runs(snapshot),
        *about_unanswered(snapshot, choice, both.run_ids),
        *about_rounding(choice, title(choice), mean, both.order, computed=computed),
    ]


def _correlated(name: str, both: Paired, n_runs: int, rounded: Rounded) -> Correlated:
    correlation, reference = coefficients(both, rounded), both.reference.name
    notes = about_left_out(n_runs - len(both.run_ids), n_runs, reference)
    notes += about_order(reference, correlation.spearman)
    which = COEFFICIENTS if both.has_scores else RANK_COEFFICIENTS
    low, high = correlation_intervals(both.values[None], both.drawn_along, bootstrap_counts(len(both.query_ids)), which)
    intervals = {one: (float(getattr(low, one)[0]), float(getattr(high, one)[0])) for one in which}
    found = Correlated(name, reference, correlation, intervals, notes)
    return replace(found, notes=notes + found.caveats)
