"""How well a leaderboard agrees with a reference, and how sure that is: every coefficient with an interval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from exam_core.analysis.evaluation.caveats import (
    about_depth,
    about_missing_runs,
    about_rounding,
)
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.grade_scales import about_scales
from exam_core.analysis.evaluation.leaderboard import Leaderboard, title
from exam_core.analysis.evaluation.references import (
    Paired,
    about_left_out,
    about_order,
    about_ties,
    correlation_with,
    needed_reference,
    paired,
)
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.truths import Named, TruthInterval, about_missing, about_truths, truths
from exam_core.analysis.evaluation.values import counted_values
from exam_core.asked import Rounded
from exam_core.numbers.means import mean_and_stderr, rounded_means
from exam_core.numbers.rank_correlations import COEFFICIENTS, NAMES, Correlation
from exam_core.numbers.true_means import is_same
from exam_core.store import Snapshot

RANK_COEFFICIENTS = tuple(name for name in COEFFICIENTS if name not in ("r2", "rmse"))
"""Coefficients that compare orders; the others compare scores, which official ranks are not."""


@dataclass(frozen=True)
class Correlated:
    """Coefficients of a leaderboard and a reference over the runs that both have.

    `truths` holds what each coefficient would be with endless queries, where that can be told; a coefficient that is
    undefined is NaN. `caveats` must be read with the intervals.
    """

    leaderboard: str
    reference: str
    correlation: Correlation
    truths: dict[str, TruthInterval] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    caveats: list[str] = field(default_factory=list)

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """The ends by coefficient."""
        return {name: (truth.low, truth.high) for name, truth in self.truths.items()}

    @property
    def middles(self) -> dict[str, float]:
        """The middles by coefficient."""
        return {name: truth.middle for name, truth in self.truths.items()}


def notes_of(found: Sequence[Correlated]) -> list[str]:
    """The notes of correlations, each once; intervals that say next to nothing are named in one."""
    if len(found) < 2:
        return [note for one in found for note in one.notes]
    named = [
        Named(f"{NAMES[name]} of {one.leaderboard}", name, float(getattr(one.correlation, name)), truth)
        for one in found
        for name, truth in one.truths.items()
    ]
    together = about_truths(named)
    alone = {note for one in found for note in _about_truths(one.correlation, one.truths)}
    others = [note for one in found for note in one.notes if note not in alone]
    return list(dict.fromkeys([*others, *together]))


def correlations_of(snapshot: Snapshot, choices: Sequence[Evaluation]) -> list[Correlated]:
    """The correlation of each choice's leaderboard with its reference.

    The 95% intervals are of the correlation that endless queries would give (`true_correlations`); a reference that
    was computed here is as uncertain as the board. Where means are rounded, those of the model are not: an interval
    is about the queries.

    Raises
    ------
    UsageError : no such reference, or none to compare with
    """
    found = []
    for choice in choices:
        other = needed_reference(snapshot, choice.reference, choice)
        values = counted_values(snapshot, choice)
        both = paired(values, other)
        one = _correlated(title(choice), both, values.averaged, choice.rounded)
        unread = scope_of(snapshot, choice).about_unreadable()
        found.append(replace(one, notes=[*unread, *one.notes, *_about(snapshot, choice, both)]))
    return found


def of_boards(boards: Iterable[Leaderboard]) -> list[Correlated]:
    """The correlation that each leaderboard has; without values by query there are no intervals."""
    found = []
    for board in boards:
        if of := board.correlation:
            notes = about_ties(str(board.reference), of.tau_ap, of.tau_ap_b)
            found.append(Correlated(board.title, str(board.reference), of, notes=notes))
    return found


def coefficients(both: Paired, rounded: Rounded = "none") -> Correlation:
    """Every coefficient of the mean values and the reference; those of scores are NaN where it has only ranks."""
    mean, _, _ = mean_and_stderr(both.values)
    mean = rounded_means(mean) if rounded == "trec_eval" else mean
    return correlation_with(mean, both.order, of_scores=both.has_scores)


def _about(snapshot: Snapshot, choice: Evaluation, both: Paired) -> list[str]:
    """What a reader must know of the runs that are correlated."""
    mean, _, _ = mean_and_stderr(both.values)
    computed = both.reference.is_computed
    return [
        *about_scales(snapshot, choice),
        *about_depth(snapshot, choice),
        *both.reference.notes,
        *about_missing_runs(snapshot),
        *scope_of(snapshot, choice).about_unanswered(both.run_ids),
        *about_rounding(choice, title(choice), mean, both.order, computed=computed),
    ]


def _about_truths(correlation: Correlation, known: Mapping[str, TruthInterval]) -> list[str]:
    return about_truths(
        [Named(NAMES[name], name, float(getattr(correlation, name)), truth) for name, truth in known.items()]
    )


def _correlated(name: str, both: Paired, n_runs: int, rounded: Rounded) -> Correlated:
    correlation, reference = coefficients(both, rounded), both.reference.name
    notes = about_left_out(n_runs - len(both.run_ids), n_runs, reference)
    notes += about_order(reference, correlation.spearman)
    notes += about_ties(reference, correlation.tau_ap, correlation.tau_ap_b)
    which = COEFFICIENTS if both.has_scores else RANK_COEFFICIENTS
    observed = {one: float(getattr(correlation, one)) for one in which}
    [known] = truths(both.values[None], both.drawn_along)
    same = is_same(both.values, both.drawn_along)
    caveats = _about_truths(correlation, known)
    caveats += about_missing(
        (len(both.run_ids), len(both.query_ids)), observed, known, fixed=both.reference_values is None, same=same
    )
    return Correlated(name, reference, correlation, known, notes + caveats, caveats)
