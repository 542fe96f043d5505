"""Stability, significance and rank swaps as the objects of the command line, and the lines below their tables."""

from __future__ import annotations

import math
from typing import Any

from exam_core.analysis.beside.rank_swaps import Swaps
from exam_core.analysis.chance.bank_size import SizeCurve
from exam_core.analysis.chance.leave_one_out import LeaveOneOut
from exam_core.analysis.chance.significance import ALPHA, Against, EveryPair, Significance
from exam_core.analysis.chance.stability import Stability
from exam_core.reports.tables import UNDEFINED
from exam_core.results import ResultTable

BOTH = {"both": "queries and questions"}
"""What is resampled, in words."""
CRITERIA = {
    "error_bars": "error bars (mean ± standard error) don't overlap",
    "t": "paired t",
    "t_holm": "paired t, Holm",
    "bootstrap": "paired bootstrap",
    "bootstrap_holm": "paired bootstrap, Holm",
    "randomisation": "randomisation",
    "randomisation_holm": "randomisation, Holm",
}
_NO_VALUES = "Only printed figures are known of {collection}: there are no values by query or question to {what}."


def significance_answer(question: dict[str, Any], found: Significance, *, pairs: bool = False) -> dict[str, Any]:
    """Significance as one JSON object; with `pairs`, every pair too."""
    answer = {
        **question,
        "leaderboard": found.title,
        "test": found.test,
        "alpha": ALPHA,
        "draws": found.draws,
        "seed": found.seed,
        "rows": found.rows,
        "separable_share": found.shares,
        "notes": found.notes,
    }
    return answer | ({"pairs": found.pairs} if pairs else {})


def significance_lines(found: Significance) -> list[str]:
    """What share of the pairs each criterion tells apart, and notes."""
    lines = [found.title]
    if found.test:
        lines.append(
            f"Tiers: {CRITERIA[f'{found.test}_holm']}, p < {ALPHA}. {found.draws:,} samples, seed {found.seed}."
        )
    shares = [f"  {CRITERIA[name]}: {_share(share)}" for name, share in found.shares.items()]
    if shares:
        lines += [f"Significantly different pairs of runs (p < {ALPHA}), of {len(found.pairs):,}:", *shares]
    return lines + found.notes


def against_answer(question: dict[str, Any], found: Against) -> dict[str, Any]:
    """Every run beside a baseline as one JSON object."""
    told = {"leaderboard": found.title, "baseline": found.baseline, "test": found.test, "alpha": ALPHA}
    drawn = {"draws": found.draws, "seed": found.seed}
    return question | told | drawn | {"rows": found.rows, "notes": found.notes}


def against_lines(found: Against) -> list[str]:
    """How many runs the test tells from the baseline, and notes."""
    told = found.rows[found.rows["separable"]]
    better = int((told["difference"] > 0).sum())
    return [
        f"{found.title}, beside {found.baseline}",
        f"{CRITERIA[f'{found.test}_holm']}, p < {ALPHA}: {better} of {len(found.rows)} runs are better, "
        f"{len(told) - better} worse.",
        *found.notes,
    ]


def sure_lines(pairs: EveryPair, found: Stability) -> list[str]:
    """How many pairs of runs differ significantly, and how far ranks move over resamplings, in sentences."""
    lines = []
    if n := len(pairs.pairs):
        told, queries = int(pairs.pairs["separable"].sum()), int(pairs.pairs["n_queries"].max())
        lines.append(
            f"{told:,} of {n:,} pairs of runs differ significantly (paired t-test over {queries} queries, p < {ALPHA} "
            "after Holm's adjustment)."
        )
    known = found.rows[found.rows["rank"].notna()]
    if len(known):
        width, best = (known["rank_high"] - known["rank_low"]).median(), known.iloc[0]
        lines.append(
            f"In 95% of {found.draws:,} resamplings of the {BOTH.get(found.of, found.of)} a run's rank stays within "
            f"{width:g} ranks (median of {len(known)} runs). {best['run_id']} is first, and stays first in "
            f"{best['first']:.0%}."
        )
    return lines


def stability_answer(question: dict[str, Any], found: Stability) -> dict[str, Any]:
    """Stability over draws as one JSON object."""
    return {
        **question,
        "leaderboard": found.title,
        "of": found.of,
        "draws": found.draws,
        "seed": found.seed,
        "top_k": found.top,
        "reference": found.reference,
        "rows": found.rows,
        "correlation": found.correlation,
        "notes": found.notes,
    }


def stability_lines(found: Stability) -> list[str]:
    """The correlations over the draws, and notes."""
    drawn = BOTH.get(found.of, found.of)
    lines = [f"{found.title}: {found.draws:,} resamplings of {drawn}, seed {found.seed}; top_k: in the top {found.top}"]
    for row in found.correlation.itertuples():
        between = f"{_number(row.low)} to {_number(row.high)}"
        lines.append(
            f"  {row.coefficient} with {row.against}: {_number(row.observed)}; 95% of the resamplings {between}"
        )
    return lines + found.notes


def curve_answer(question: dict[str, Any], found: SizeCurve) -> dict[str, Any]:
    """Correlations by size as one JSON object."""
    return {
        **question,
        "leaderboard": found.title,
        "curve": found.of,
        "subsets": found.subsets,
        "seed": found.seed,
        "reference": found.reference,
        "rows": found.rows,
        "notes": found.notes,
    }


def curve_lines(found: SizeCurve) -> list[str]:
    """What the sizes are of, and notes."""
    what = "questions of each query" if found.of == "bank-size" else "queries"
    band = "mean, and 95% of the subsets between low and high"
    return [
        f"{found.title}: {found.subsets} random subsets of each size, in {what}; seed {found.seed}; {band}",
        *found.notes,
    ]


def leave_one_out_answer(question: dict[str, Any], found: LeaveOneOut) -> dict[str, Any]:
    """The effect of each question as one JSON object."""
    return {
        **question,
        "leaderboard": found.title,
        "reference": found.reference,
        "spearman": found.spearman,
        "kendall": found.kendall,
        "rows": found.rows,
        "notes": found.notes,
    }


def leave_one_out_lines(found: LeaveOneOut) -> list[str]:
    """The correlation with all questions, and notes."""
    lines = [f"{found.title}: {len(found.rows):,} questions, each left out alone"]
    if found.reference:
        whole = f"Spearman {_number(found.spearman)}, Kendall {_number(found.kendall)}"
        lines.append(f"With all of them, against {found.reference}: {whole}")
    return lines + found.notes


def swaps_answer(question: dict[str, Any], found: Swaps) -> dict[str, Any]:
    """Rank swaps as one JSON object; `pairs` are those that are swapped."""
    return {
        **question,
        "leaderboard": found.title,
        "reference": found.reference,
        "n": found.n,
        "n_pairs": found.pairs,
        "swaps": found.swaps,
        "tied_once": found.tied_once,
        "differences_of": found.differences_of,
        "largest": found.largest,
        "separable_swaps": found.separable_swaps,
        "rows": found.rows,
        "pairs": found.swapped,
        "notes": found.notes,
    }


def swaps_lines(found: Swaps) -> list[str]:
    """How many pairs are swapped, and up to which difference, and notes."""
    share = _share(found.swaps / found.pairs if found.pairs else math.nan)
    lines = [
        f"{found.title} against {found.reference}: {found.swaps:,} of {found.pairs:,} pairs of {found.n} runs are "
        f"swapped ({share}); tied on one of the two: {found.tied_once:,}"
    ]
    if not math.isnan(found.largest):
        of = found.reference if found.differences_of == "reference" else found.title
        lines.append(f"No pair is swapped whose scores in {of} differ by more than {found.largest:.3f}")
    if not math.isnan(found.separable_swaps):
        lines.append(
            f"Swapped pairs that differ significantly (paired t-test, Holm, p < {ALPHA}): {found.separable_swaps:.0f}"
        )
    return lines + found.notes


def undefined_answer(question: dict[str, Any], what: str, rows: ResultTable) -> dict[str, Any]:
    """The answer where only printed figures are known: no rows, and a sentence."""
    note = _NO_VALUES.format(collection=question["collection"], what=what)
    return {**question, "rows": rows.of(), "notes": [note]}


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.3f}"


def _share(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.1%}"
