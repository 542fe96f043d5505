"""Would fewer questions, or fewer queries, have given the same leaderboard? Correlations of random subsets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from exam_core import engine
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.evaluation.values import Values
from exam_core.analysis.uncertainty.redraws import Redrawing, redrawing, shuffled_places, values_of_runs
from exam_core.asked import Curve
from exam_core.defaults import SEED
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.resampling import bootstrap_means, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, number
from exam_core.store import Snapshot
from exam_core.wings.comparing.analysis.compared_with import ReferenceBoard, about_reference, to_compare_with
from exam_core.wings.comparing.analysis.rank_bootstrap import AGAINST, defined_mean

SUBSETS = 50
MOST_SIZES = 25
COEFFICIENTS = ("spearman", "kendall")
ROWS = ResultTable(
    "size curve: rows",
    "Correlations of leaderboards over random subsets, by the size of the subset",
    AGAINST,
    number("size", "Size", "Questions of each query, or queries, in a subset.", "questions or queries"),
    number("n_runs", "Runs", unit="runs"),
    decimal("spearman", "Spearman's rho", "Mean over the subsets."),
    decimal("spearman_low", "Spearman's rho, 95% from", "2.5 percentile of the subsets."),
    decimal("spearman_high", "Spearman's rho, to", "97.5 percentile of the subsets."),
    decimal("kendall", "Kendall's tau-b", "Mean over the subsets."),
    decimal("kendall_low", "Kendall's tau-b, 95% from", "2.5 percentile of the subsets."),
    decimal("kendall_high", "Kendall's tau-b, to", "97.5 percentile of the subsets."),
)


@dataclass(frozen=True)
class SizeCurve:
    """Correlations of leaderboards over random subsets, by the size of the subset.

    Parameters
    ----------
    title : the leaderboard of all questions and queries
    of : what there are fewer of: questions of each query, or queries
    subsets, seed : random subsets of each size, and the seed that they come from
    reference : what is correlated with; None if there is nothing
    rows : `ROWS`; correlations are NaN where fewer than 90% of the subsets have a coefficient
    """

    title: str
    of: Curve
    subsets: int
    seed: int
    reference: str | None
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def size_curve(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    of: Curve = "bank-size",
    subsets: int = SUBSETS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> SizeCurve:
    """Correlation with the reference, and with the whole leaderboard, against the number of questions or queries.

    Subsets are drawn without replacement and nested: a subset of n is part of the same shuffle's subset of n + 1. A
    query with fewer questions than the size keeps all that it has. At most 25 sizes, evenly spread.

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : there are no questions to leave out

    Source: the open question of EXAM++ on the size of the bank; subsets of queries as in Voorhees & Buckley 2002.
    """
    values = values_of_runs(snapshot, choice)
    others = to_compare_with(snapshot, choice, values)
    rng = np.random.default_rng(seed)
    if of == "queries":
        rows = _of_queries(values, others, subsets, rng, progress)
    else:
        rows = _of_questions(snapshot, choice, others, subsets, rng, progress)
    known = others[0].name if len(others) > 1 else None
    notes = about_reference(snapshot, choice, others, values.averaged)
    if rows[list(COEFFICIENTS)].isna().any(axis=None):
        notes.append("Undefined where fewer than 90% of the subsets have an order to compare.")
    return SizeCurve(title(choice), of, subsets, seed, known, rows, notes)


def sizes_up_to(n: int) -> list[int]:
    """Sizes from 1 to n: all of them, or 25 that are evenly spread."""
    return sorted({round(size) for size in np.linspace(1, n, min(n, MOST_SIZES)).tolist()}) if n else []


def _of_questions(
    snapshot: Snapshot,
    choice: Evaluation,
    others: list[ReferenceBoard],
    subsets: int,
    rng: np.random.Generator,
    progress: Progress,
) -> pd.DataFrame:
    again = redrawing(snapshot, choice)
    enabled = again.book.enabled
    places = [shuffled_places(enabled, rng) for _ in range(subsets)]
    sizes = sizes_up_to(int(enabled.sum(axis=1).max()))
    rows: list[dict[str, object]] = []
    for done, size in enumerate(sizes, 1):
        means = np.stack(list(engine.current().map(partial(_means_of_first, again, size), places)))
        rows += [_row(other, size, means, None) for other in others]
        progress(done / len(sizes))
    return _in_order(rows)


def _means_of_first(again: Redrawing, size: int, places: Ints) -> Floats:
    """(R,) means where each query has its first questions, by their (Q, S) places, alone."""
    return mean_and_stderr(again.values(again.book.enabled & (places < size)))[0]


def _of_queries(
    values: Values, others: list[ReferenceBoard], subsets: int, rng: np.random.Generator, progress: Progress
) -> pd.DataFrame:
    n = len(values.query_ids)
    places = shuffled_places(np.ones((subsets, n), bool), rng)
    sizes = sizes_up_to(n)
    rows: list[dict[str, object]] = []
    for done, size in enumerate(sizes, 1):
        counts = (places < size).astype(np.int64)
        rows += [_row(other, size, bootstrap_means(values.values, counts), counts) for other in others]
        progress(done / len(sizes))
    return _in_order(rows)


def _row(other: ReferenceBoard, size: int, means: Floats, counts: Ints | None) -> dict[str, object]:
    found = other.over(means, counts, COEFFICIENTS)
    row: dict[str, object] = {"against": other.name, "size": size, "n_runs": len(other.runs)}
    for name in COEFFICIENTS:
        samples = getattr(found, name)
        low, high = percentile_interval(samples)
        row |= {name: float(defined_mean(samples)), f"{name}_low": float(low), f"{name}_high": float(high)}
    return row


def _in_order(rows: list[dict[str, object]]) -> pd.DataFrame:
    """The rows with those of one comparison together, in the order in which they were made."""
    names = list(dict.fromkeys(row["against"] for row in rows))
    return ROWS.of(sorted(rows, key=lambda row: names.index(row["against"])))
