"""Two runs of one leaderboard: their difference on every query, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.grade_scales import about_scales
from exam_core.analysis.evaluation.leaderboard import Leaderboard, title
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.values import place_of
from exam_core.analysis.shared_columns import DIFFERENCE, MEAN, QUERY, QUERY_TEXT, RANK, STDERR
from exam_core.analysis.uncertainty.redraws import values_of_runs
from exam_core.analysis.uncertainty.telling_apart import TESTS
from exam_core.defaults import DRAWS, SEED
from exam_core.numbers.arrays import Floats
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS
from exam_core.numbers.resampling import mean_interval
from exam_core.numbers.significance_tests import SLACK, overlap
from exam_core.results import ResultTable, decimal, flag, number, text
from exam_core.store import Snapshot
from exam_core.store.rankings import texts_of

QUERIES = ResultTable(
    "run pair: rows",
    "Values of two runs, A and B, by query, the largest win of A first",
    QUERY,
    QUERY_TEXT,
    decimal("value_a", "A", "Value of run A.", "score"),
    decimal("value_b", "B", "Value of run B.", "score"),
    replace(DIFFERENCE, label="A - B"),
)
ALONE = (
    "Two-sided, for this pair alone: not adjusted for other pairs that one might have looked at "
    "(Smucker, Allan & Carterette 2007)."
)
P_VALUES = ResultTable(
    "run pair: tests",
    "Tests of the difference between two runs",
    text("test", "Test", ALONE),
    number("p", "p, two-sided", ALONE, form="%.4f"),
)
PRINTED = ResultTable(
    "run pair: printed",
    "Two runs, A and B, on each printed column that has both",
    text("column", "Published result", pinned=True),
    *(
        column
        for side in "ab"
        for column in (
            replace(MEAN, name=f"mean_{side}", label=f"Score {side.upper()}", help=""),
            replace(STDERR, name=f"stderr_{side}", label=f"± {side.upper()}"),
            replace(RANK, name=f"rank_{side}", label=f"Rank {side.upper()}"),
        )
    ),
    replace(DIFFERENCE, label="A - B"),
    flag("bars_overlap", "Error bars overlap", "Bars of one printed standard error."),
)


@dataclass(frozen=True)
class RunPair:
    """Two runs, A and B, over the n queries that count for both.

    Parameters
    ----------
    title : the leaderboard
    run_a, run_b : names
    n, wins, ties, losses : queries, and how many A wins, ties and loses; differences are rounded to 1e-9
    mean_a, mean_b : over the n queries
    difference, low, high : mean of A - B with its 95% interval (Student's t)
    effect : difference over the sample standard deviation of the differences; NaN where all are equal
    tests : `P_VALUES`
    draws, seed : of the bootstrap and of the random signs
    rows : `QUERIES`
    """

    title: str
    run_a: str
    run_b: str
    n: int
    wins: int
    ties: int
    losses: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    effect: float
    tests: pd.DataFrame
    draws: int
    seed: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def run_pair(
    snapshot: Snapshot, choice: Evaluation, run_a: str, run_b: str, *, draws: int = DRAWS, seed: int = SEED
) -> RunPair:
    """Compare two runs query by query.

    Parameters
    ----------
    draws, seed : of the bootstrap and of the random signs

    Raises
    ------
    UsageError : no such run, or nothing to evaluate

    Source: Smucker, Allan & Carterette 2007 (the three tests); effect size as in Cohen 1988, chapter 2 (d of
    matched pairs).
    """
    values = values_of_runs(snapshot, choice)
    both = values.values[[place_of(values, run_a), place_of(values, run_b)]]
    counted = np.flatnonzero(~np.isnan(both).any(axis=0))
    both = both[:, counted]
    query_ids = [values.query_ids[query] for query in counted]
    difference = np.round(both[0] - both[1], DIGITS)
    columns = {"query_id": query_ids, "query_text": texts_of(snapshot, query_ids)}
    columns |= {"value_a": both[0], "value_b": both[1], "difference": difference}
    (mean_a, mean_b), _, _ = mean_and_stderr(both)
    bounds = choice.measure.info.difference_bounds
    low, high = (float(end[0]) for end in mean_interval(difference[None], bounds=bounds))
    tests = [(name, float(test(both, draws, seed)[0, 1])) for name, test in TESTS.items()]
    left_out = len(values.query_ids) - len(query_ids)
    scope = scope_of(snapshot, choice)
    notes = scope.about_unreadable((run_a, run_b))
    notes += [f"{left_out} queries count for one of the two runs only and are left out."] if left_out else []
    notes += about_scales(snapshot, choice)
    if choice.missing == "zero":
        notes += scope.about_unanswered((run_a, run_b))
    return RunPair(
        title=title(choice),
        run_a=run_a,
        run_b=run_b,
        n=len(query_ids),
        wins=int((difference > 0).sum()),
        ties=int((difference == 0).sum()),
        losses=int((difference < 0).sum()),
        mean_a=float(mean_a),
        mean_b=float(mean_b),
        difference=float(mean_a - mean_b),
        low=low,
        high=high,
        effect=_effect(difference),
        tests=P_VALUES.of(tests),
        draws=draws,
        seed=seed,
        rows=QUERIES.of(columns).sort_values(["difference", "query_id"], ascending=[False, True], ignore_index=True),
        notes=notes,
    )


def of_boards(boards: Iterable[Leaderboard], run_a: str, run_b: str) -> pd.DataFrame:
    """Two runs on each leaderboard that has both: `PRINTED`; bars_overlap is NA where errors aren't known."""
    rows = []
    for board in boards:
        known = board.rows.set_index("run_id")
        if run_a not in known.index or run_b not in known.index:
            continue
        row: dict[str, object] = {"column": board.title}
        for side, run_id in (("a", run_a), ("b", run_b)):
            row |= {f"{name}_{side}": float(known.at[run_id, name]) for name in ("mean", "stderr", "rank")}
        mean, stderr = (known.loc[[run_a, run_b], name].to_numpy(float) for name in ("mean", "stderr"))
        touch = pd.NA if np.isnan(stderr).any() else bool(overlap(mean, stderr)[0, 1])
        rows.append(row | {"difference": float(mean[0] - mean[1]), "bars_overlap": touch})
    return PRINTED.of(rows).astype({"bars_overlap": "boolean"})


def _effect(difference: Floats) -> float:
    spread = float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
    return float(difference.mean() / spread) if spread > SLACK else float("nan")
