"""Would fewer questions, or fewer queries, have given the same leaderboard? Correlations of random subsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from exam_core import engine
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.evaluation.values import Values
from exam_core.analysis.uncertainty.redraws import redrawing, shuffled_places, values_of_runs
from exam_core.asked import Curve
from exam_core.defaults import SEED
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.resampling import bootstrap_means, defined_mean, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, number
from exam_core.store import Snapshot
from exam_core.wings.comparing.analysis.compared_with import ReferenceBoard, about_reference, to_compare_with
from exam_core.wings.comparing.analysis.rank_bootstrap import AGAINST

SUBSETS = 50
MOST_SIZES = 25
COEFFICIENTS = ("spearman", "kendall")
Drawing = Callable[[int], tuple[Floats, Ints | None]]
"""(subsets, R) means over the subsets of a size, and (subsets, Q) which queries are in them; None where all are."""
ROWS = ResultTable(
    "size curve: rows",
    "Correlations of leaderboards over random subsets, by the size of the subset",
    AGAINST,
    number("size", "Size", "Questions of each query, or queries, in a subset.", "questions or queries"),
    number("n_runs", "Runs", unit="runs"),
    decimal("spearman", "Spearman's rho", "Mean over the subsets."),
    decimal("spearman_low", "Spearman's rho, 95% from", "2.5th percentile of the subsets."),
    decimal("spearman_high", "Spearman's rho, to", "97.5th percentile of the subsets."),
    decimal("kendall", "Kendall's tau-b", "Mean over the subsets."),
    decimal("kendall_low", "Kendall's tau-b, 95% from", "2.5th percentile of the subsets."),
    decimal("kendall_high", "Kendall's tau-b, to", "97.5th percentile of the subsets."),
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
    of_queries = of == "queries"
    sizes, drawn = _queries(values, subsets, rng) if of_queries else _questions(snapshot, choice, subsets, rng)
    rows = _rows(sizes, drawn, others, progress)
    known = others[0].name if len(others) > 1 else None
    notes = about_reference(snapshot, choice, others, values.averaged)
    if rows[list(COEFFICIENTS)].isna().any(axis=None):
        notes.append("Undefined where fewer than 90% of the subsets have an order to compare.")
    return SizeCurve(title(choice), of, subsets, seed, known, rows, notes)


def sizes_up_to(n: int) -> list[int]:
    """Sizes from 1 to n: all of them, or 25 that are evenly spread."""
    return sorted({round(size) for size in np.linspace(1, n, min(n, MOST_SIZES)).tolist()}) if n else []


def _questions(
    snapshot: Snapshot, choice: Evaluation, subsets: int, rng: np.random.Generator
) -> tuple[list[int], Drawing]:
    """The sizes of subsets of each query's questions, and the means where these alone are asked."""
    again = redrawing(snapshot, choice)
    enabled = again.book.enabled
    places = [shuffled_places(enabled, rng) for _ in range(subsets)]

    def drawn(size: int) -> tuple[Floats, None]:
        def means(of: Ints) -> Floats:
            return mean_and_stderr(again.values(enabled & (of < size)))[0]

        return np.stack(list(engine.current().map(means, places))), None

    return sizes_up_to(int(enabled.sum(axis=1).max())), drawn


def _queries(values: Values, subsets: int, rng: np.random.Generator) -> tuple[list[int], Drawing]:
    """The sizes of subsets of the queries, and the means over them."""
    n = len(values.query_ids)
    places = shuffled_places(np.ones((subsets, n), bool), rng)

    def drawn(size: int) -> tuple[Floats, Ints]:
        counts = (places < size).astype(np.int64)
        return bootstrap_means(values.values, counts), counts

    return sizes_up_to(n), drawn


def _rows(sizes: list[int], drawn: Drawing, others: list[ReferenceBoard], progress: Progress) -> pd.DataFrame:
    """The rows of every size, those of one comparison together."""
    rows: dict[str, list[dict[str, object]]] = {other.name: [] for other in others}
    for done, size in enumerate(sizes, 1):
        means, counts = drawn(size)
        for other in others:
            rows[other.name].append(_row(other, size, means, counts))
        progress(done / len(sizes))
    return ROWS.of(row for own in rows.values() for row in own)


def _row(other: ReferenceBoard, size: int, means: Floats, counts: Ints | None) -> dict[str, object]:
    found = other.over(means, counts, COEFFICIENTS)
    row: dict[str, object] = {"against": other.name, "size": size, "n_runs": len(other.runs)}
    for name in COEFFICIENTS:
        samples = getattr(found, name)
        low, high = percentile_interval(samples)
        row |= {name: float(defined_mean(samples)), f"{name}_low": float(low), f"{name}_high": float(high)}
    return row
