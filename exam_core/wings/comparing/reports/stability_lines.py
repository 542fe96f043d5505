"""The lines below tables of stability, significance and rank swaps."""

from __future__ import annotations

import math

from exam_core.analysis.uncertainty.telling_apart import ALPHA, CRITERIA
from exam_core.reports.tables import written
from exam_core.wings.comparing.analysis.bank_size import SizeCurve
from exam_core.wings.comparing.analysis.leave_one_out import LeaveOneOut
from exam_core.wings.comparing.analysis.rank_bootstrap import Stability
from exam_core.wings.comparing.analysis.rank_swaps import Swaps
from exam_core.wings.comparing.analysis.run_differences import AgainstBaseline, EveryPair, Significance
from exam_core.wings.comparing.charts.rank_stability import first_and_width
from exam_core.wording import counted

BOTH = {"both": "queries and questions"}
"""What is resampled, in words."""


def significance_lines(found: Significance) -> list[str]:
    """What share of the pairs each criterion tells apart, and notes."""
    lines = [found.title]
    if found.test:
        lines.append(
            f"Tiers: {CRITERIA[f'{found.test}_holm']}, p < {ALPHA}. {found.draws:,} samples, seed {found.seed}."
        )
    if found.test and len(found.pairs):
        first = found.pairs["run_a"].iloc[0]
        beside = found.pairs.loc[found.pairs["run_a"] == first, "separable"]
        lines.append(f"{first} is significantly better than {int(beside.sum())} of {len(beside)} other runs.")
    shares = [f"  {CRITERIA[name]}: {written(share, '.1%')}" for name, share in found.shares.items()]
    if shares:
        lines += [f"Significantly different pairs of runs (p < {ALPHA}), of {len(found.pairs):,}:", *shares]
    return lines + found.notes


def against_lines(found: AgainstBaseline) -> list[str]:
    """How many runs the test tells from the baseline, and notes."""
    told = found.rows[found.rows["separable"]]
    better = int((told["difference"] > 0).sum())
    return [
        f"{found.title}, beside {found.baseline}",
        f"{CRITERIA[f'{found.test}_holm']}, p < {ALPHA}: {better} of {counted({'runs': len(found.rows)})} are better, "
        f"{len(told) - better} worse.",
        *found.notes,
    ]


def sure_lines(pairs: EveryPair, found: Stability) -> list[str]:
    """How many pairs of runs differ significantly, and how far ranks move over resamplings, in sentences."""
    lines = []
    if n := len(pairs.pairs):
        told, queries = int(pairs.pairs["separable"].sum()), int(pairs.pairs["n_queries"].max())
        lines.append(
            f"{told:,} of {counted({'pairs': n})} of runs differ significantly (paired t-test over "
            f"{counted({'queries': queries})}, "
            "Holm-corrected)."
        )
    known = found.rows[found.rows["rank"].notna()]
    if len(known):
        lines.append(first_and_width(known, f"{found.draws:,} resamplings of the {BOTH.get(found.of, found.of)}"))
    return lines


def stability_lines(found: Stability) -> list[str]:
    """The correlations over the draws, and notes."""
    drawn = BOTH.get(found.of, found.of)
    lines = [f"{found.title}: {found.draws:,} resamplings of {drawn}, seed {found.seed}; top_k: in the top {found.top}"]
    for row in found.correlation.itertuples():
        between = f"{written(row.low)} to {written(row.high)}"
        lines.append(
            f"  {row.coefficient} with {row.against}: {written(row.observed)}; 95% of the resamplings {between}"
        )
    return lines + found.notes


def curve_lines(found: SizeCurve) -> list[str]:
    """What the sizes are of, and notes."""
    what = "each query's questions" if found.of == "bank-size" else "the queries"
    drawn = f"{found.subsets} random subsets of {what} at each size (seed {found.seed})"
    return [f"{found.title}: mean and middle 95% of {drawn}.", *found.notes]


def leave_one_out_lines(found: LeaveOneOut) -> list[str]:
    """The correlation with all questions, and notes."""
    lines = [f"{found.title}: {counted({'questions': len(found.rows)})}, each left out alone."]
    if found.reference:
        whole = f"Spearman {written(found.spearman)}, Kendall {written(found.kendall)}"
        lines.append(f"With all of them, against {found.reference}: {whole}.")
    return lines + found.notes


def swaps_lines(found: Swaps) -> list[str]:
    """How many pairs are swapped, and up to which difference, and notes."""
    share = written(found.swaps / found.pairs if found.pairs else math.nan, ".1%")
    lines = [
        f"{found.title} against {found.reference}: {found.swaps:,} of "
        f"{counted({'pairs': found.pairs})} of {counted({'runs': found.n})} are "
        f"swapped ({share}); tied on one side: {found.tied_once:,}."
    ]
    if not math.isnan(found.largest):
        of = found.reference if found.differences_of == "reference" else found.title
        lines.append(f"No pair whose scores in {of} differ by more than {found.largest:.3f} is swapped.")
    if not math.isnan(found.separable_swaps):
        lines.append(
            f"Swapped pairs that differ significantly (paired t-test, Holm, p < {ALPHA}): {found.separable_swaps:.0f}."
        )
    return lines + found.notes
