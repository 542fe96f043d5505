"""Rank swaps: pairs of runs that two leaderboards order differently, by how far their scores are apart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard, title
from exam_core.analysis.references import Reference, about_left_out, needed_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.uncertainty import ALPHA, values_of_runs
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Bools, Floats
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.significance_tests import holm, paired_t
from exam_core.results import ResultTable, count, decimal, flag, rank, share, text
from exam_core.store import Snapshot
from exam_core.wording import reference_in_words

BIN = 0.02
"""Width of the histogram's bins, as in POURPRE; a fiftieth of the largest difference where that is above 1."""

ROWS = ResultTable(
    "swaps: rows",
    "Histogram of pairs of runs by the difference of their scores",
    decimal("low", "From", "Smallest difference of the scores, inclusive.", "score"),
    decimal("high", "to", "Largest difference of the scores, exclusive.", "score"),
    count("pairs", "Pairs", "Pairs whose scores are that far apart.", "pairs"),
    count("swaps", "Swapped", "Pairs that the two leaderboards order differently.", "pairs"),
    count("tied_once", "Tied once", "Pairs that are tied on one side only.", "pairs"),
    share("share", "Share", "Swapped pairs over pairs.", "share of the pairs"),
)
SWAPPED = ResultTable(
    "swaps: swapped",
    "Pairs of runs that a leaderboard and its reference order differently, those farthest apart first",
    text("run_a", "Better on the leaderboard", pinned=True),
    text("run_b", "Better in the reference"),
    decimal("difference", "Difference", unit="score"),
    decimal("reference_difference", "Reference difference", unit="score"),
    rank("reference_rank_a", "Reference rank", unit="rank"),
    rank("reference_rank_b", "Reference rank of the other", unit="rank"),
    flag(
        "separable",
        "Significant",
        "Yes if the two runs differ significantly on the leaderboard (paired t-test, Holm, p < 0.05).",
    ),
)


@dataclass(frozen=True)
class Swaps:
    """The pairs of n runs that a leaderboard and a reference order differently.

    A pair is swapped where one side has one run first and the other side the other. A tie on one side only is no
    swap, and is counted in `tied_once`; a tie on both sides is agreement.

    Parameters
    ----------
    differences_of : whose score differences the histogram and `largest` are of: the reference's, or the board's own
        where the reference has only ranks
    n, pairs, swaps, tied_once : runs that both have, their pairs, and how many of these are swapped or tied once
    largest : largest score difference of a swapped pair; no pair farther apart is swapped. NaN without a swap
    separable_swaps : swapped pairs that the board's paired t-test tells apart (Holm, p < 0.05); NaN without queries
    rows : `ROWS`; share is NaN where there are no pairs
    swapped : `SWAPPED`; reference_difference is negative, and NaN where the reference has only ranks
    """

    title: str
    reference: str
    differences_of: Literal["reference", "board"]
    n: int
    pairs: int
    swaps: int
    tied_once: int
    largest: float
    separable_swaps: float
    rows: pd.DataFrame
    swapped: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def rank_swaps(snapshot: Snapshot, choice: Evaluation, width: float | None = None) -> Swaps:
    """Rank swaps between a choice's leaderboard and a reference, over the runs that both have.

    `width`: of the histogram's bins, in units of the score; by default 0.02. Raises UsageError: no such reference, or
    nothing to evaluate.

    Source: Lin & Demner-Fushman 2005 (POURPRE), section 6 and figure 4.
    """
    values = values_of_runs(snapshot, choice)
    other = needed_reference(snapshot, choice.reference, choice)
    both = pair_with(values, other)
    mean, _, _ = mean_and_stderr(both.values)
    separable = holm(paired_t(both.values)) < ALPHA
    missing = values.averaged - len(both.run_ids)
    swaps = _swaps(title(choice), other, both.run_ids, mean, separable, missing=missing, width=width)
    return replace(
        swaps, notes=scope_of(snapshot, choice).about_unreadable() + about_scales(snapshot, choice) + swaps.notes
    )


def of_board(board: Leaderboard, other: Reference, width: float | None = None) -> Swaps:
    """Rank swaps between a leaderboard without queries and a reference."""
    shared = board.rows[board.rows["run_id"].isin(other.ranks.index)]
    mean = shared["mean"].to_numpy(float)
    missing = len(board.rows) - len(shared)
    return _swaps(board.title, other, shared["run_id"].tolist(), mean, None, missing=missing, width=width)


def _swaps(
    name: str,
    other: Reference,
    run_ids: list[str],
    mean: Floats,
    separable: Bools | None,
    *,
    missing: int,
    width: float | None,
) -> Swaps:
    has_mean = ~np.isnan(mean)
    run_ids = [run_id for run_id, has in zip(run_ids, has_mean, strict=True) if has]
    mean, separable = mean[has_mean], None if separable is None else separable[np.ix_(has_mean, has_mean)]
    ranks, scores = (side.reindex(run_ids).to_numpy(float) for side in (other.ranks, other.scores))
    has_scores = not np.isnan(scores).any()
    pairs = pair_frame(run_ids, mean, scores if has_scores else -ranks)
    places = {run_id: place for place, run_id in enumerate(run_ids)}
    first, second = (pairs[name].map(places).to_numpy(int) for name in ("run_a", "run_b"))
    pairs = pairs.assign(
        reference_difference=pairs["reference_difference"] if has_scores else np.nan,
        reference_rank_a=ranks[first],
        reference_rank_b=ranks[second],
        apart=pairs["reference_difference" if has_scores else "difference"].abs(),
        separable=np.nan if separable is None else separable[first, second],
    )
    swapped = pairs[pairs["swapped"]].sort_values(["apart", "run_a", "run_b"], ascending=[False, True, True])
    notes = about_left_out(missing, missing + len(run_ids), other.name)
    if not has_scores:
        notes.append(
            f"Of {reference_in_words(other.name)} only ranks are known: score differences are those of {name}."
        )
    if separable is None:
        notes.append("Printed figures do not tell whether the runs of a swapped pair differ significantly.")
    return Swaps(
        title=name,
        reference=other.name,
        differences_of="reference" if has_scores else "board",
        n=len(run_ids),
        pairs=len(pairs),
        swaps=len(swapped),
        tied_once=int(pairs["tied_once"].sum()),
        largest=float(swapped["apart"].max()),
        separable_swaps=np.nan if separable is None else float(swapped["separable"].sum()),
        rows=histogram(pairs, width),
        swapped=SWAPPED.of(swapped).reset_index(drop=True),
        notes=notes,
    )


def pair_frame(run_ids: list[str], scores: Floats, reference: Floats) -> pd.DataFrame:
    """Every pair of runs, the one ahead by `scores` first: differences on both sides, swapped, tied_once.

    `scores`, `reference`: (n,) larger is better; compared after rounding to 1e-9.
    """
    order = np.argsort(mean_rank(scores), kind="stable")
    first, second = (order[side] for side in np.triu_indices(len(order), 1))
    ours, theirs = np.round(scores, DIGITS), np.round(reference, DIGITS)
    difference = np.round(ours[first] - ours[second], DIGITS)
    other = np.round(theirs[first] - theirs[second], DIGITS)
    names = np.array(run_ids, object)
    return pd.DataFrame(
        {
            "run_a": names[first],
            "run_b": names[second],
            "difference": difference,
            "reference_difference": other,
            "swapped": (difference > 0) & (other < 0),
            "tied_once": (difference == 0) != (other == 0),
        }
    )


def histogram(pairs: pd.DataFrame, width: float | None = None) -> pd.DataFrame:
    """Pairs, swaps and ties on one side by how far the scores are `apart`: `ROWS`.

    Raises UsageError where the bins are not wider than nothing, or there would be more than 1,000. `width`: of a bin,
    which holds its lower end and not its upper one; by default 0.02, or a fiftieth of the largest difference where that
    is above 1.
    """
    largest = float(pairs["apart"].max()) if len(pairs) else 0.0
    width = BIN * max(1.0, largest) if width is None else width
    if not 0 < width < np.inf or largest / width >= 1000:
        raise UsageError(f"--bin {width:g}: give a width above 0 that makes at most 1,000 bins.")
    # 0.06 / 0.02 is a little below 3 in floating point
    places = np.floor(np.round(pairs["apart"].to_numpy(float) / width, DIGITS)).astype(np.int64)
    n_bins = int(places.max(initial=-1)) + 1
    counts = {
        name: np.bincount(places, weights, n_bins).astype(np.int64)
        for name, weights in (("pairs", None), ("swaps", pairs["swapped"]), ("tied_once", pairs["tied_once"]))
    }
    ends = np.round(width * np.arange(n_bins + 1), 12)
    with np.errstate(invalid="ignore"):
        shares = counts["swaps"] / counts["pairs"]
    return ROWS.of({"low": ends[:-1], "high": ends[1:], **counts, "share": shares})
