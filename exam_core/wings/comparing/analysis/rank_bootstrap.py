"""How a leaderboard would stand on other queries, on other questions, or on both: the bootstrap of its ranks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from exam_core import engine
from exam_core.analysis.comparisons.correlation import RANK_COEFFICIENTS
from exam_core.analysis.evaluation.caveats import about_intervals
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.grade_scales import about_scales
from exam_core.analysis.evaluation.leaderboard import title
from exam_core.analysis.evaluation.references import about_order
from exam_core.analysis.evaluation.values import Values
from exam_core.analysis.shared_columns import MEAN, RANK, RUN
from exam_core.analysis.uncertainty.redraws import Redrawing, draw_questions, redrawing, values_of_runs
from exam_core.analysis.uncertainty.telling_apart import BY_T, RANK_INTERVAL_LABEL, TIER, tiers
from exam_core.asked import Drawn
from exam_core.defaults import DRAWS, SEED, TOP_RUNS
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, NAMES, correlations, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, defined_mean, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, decimal, number, share, text
from exam_core.store import Snapshot
from exam_core.wings.comparing.analysis.compared_with import ITSELF, ReferenceBoard, about_reference, to_compare_with

QUESTION_DRAWS = 200

INTERVAL = (
    "2.5th and 97.5th percentile of the rank over the resamplings. For an interval of the rank with unlimited queries, "
    "see the Leaderboard."
)
ROWS = ResultTable(
    "stability: rows",
    "Observed rank of each run and its rank over the resamplings, best first",
    RUN,
    MEAN,
    replace(RANK, help="Observed rank; ties share their mean rank."),
    number("rank_mean", "Mean rank", "Mean of the rank over the resamplings.", "rank", form="%.1f"),
    number("rank_low", RANK_INTERVAL_LABEL, INTERVAL, "rank", form="%.1f"),
    number("rank_median", "Median", "Median of the rank over the resamplings.", "rank", form="%.1f"),
    number("rank_high", "to", INTERVAL, "rank", form="%.1f"),
    share(
        "first",
        "First in",
        "Share of the resamplings in which the run is first, alone or tied.",
        "share of the resamplings",
    ),
    share(
        "top_k",
        "In the top 5 in",
        "Share of the resamplings in which fewer than five runs are above it.",
        "share of the resamplings",
    ),
    number(
        "tier",
        "Tier",
        f"{TIER} {BY_T}.",
    ),
    share(
        "tier_kept",
        "Tier kept",
        "Share of the resamplings in which the run's rank is one of its tier's ranks.",
        "share of the resamplings",
    ),
)
AGAINST = text("against", "With", f"{ITSELF} is the leaderboard itself, before resampling.")
CORRELATION = ResultTable(
    "stability: correlation",
    "Observed rank correlations and those of the resamplings",
    AGAINST,
    text(
        "coefficient",
        "Coefficient",
        "Kendall's tau-b counts pairs of runs in the same order; Spearman's rho correlates ranks.",
    ),
    decimal("observed", "Observed"),
    decimal("mean", "Mean of the resamplings"),
    decimal("low", "In 95%, from", "2.5th percentile of the resamplings."),
    decimal("high", "to", "97.5th percentile of the resamplings."),
)


@dataclass(frozen=True)
class Stability:
    """Ranks and correlations of a leaderboard over draws.

    Parameters
    ----------
    title : the leaderboard
    of, draws, seed : what was drawn, how often and from which seed
    top : the K of `top_k`
    reference : what is correlated with; None if there is nothing
    rows : `ROWS`, with K for the five of `top_k`; tiers are those of `significance`
    correlation : `CORRELATION`, against the reference, and against the leaderboard as it is
    """

    title: str
    of: Drawn
    draws: int
    seed: int
    top: int
    reference: str | None
    rows: pd.DataFrame
    correlation: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def stability(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    of: Drawn = "queries",
    draws: int | None = None,
    seed: int = SEED,
    top: int = TOP_RUNS,
    progress: Progress = no_progress,
) -> Stability:
    """The leaderboard over draws of its queries, of each query's questions, or of both.

    Queries are drawn with replacement, all runs on the same ones, and a computed reference along with them. Questions
    are drawn with replacement within each query: one that is drawn twice counts twice in a share of questions; every
    other measure asks it once (see `Redrawing.values`). A reference keeps the questions that it has.

    Parameters
    ----------
    draws : by default 2,000 of queries, 200 where questions are drawn
    top : the K of `top_k`

    Raises
    ------
    UsageError : no such reference, or nothing to evaluate
    UndefinedMeasure : there are no questions to draw

    Source: Efron & Tibshirani 1993, chapter 13; ranks over draws as in Lin & Demner-Fushman 2005, figure 5.
    """
    number = draws or (DRAWS if of == "queries" else QUESTION_DRAWS)
    values = values_of_runs(snapshot, choice)
    means, counts = redrawn(snapshot, choice, values, of, number, seed, progress)
    others = to_compare_with(snapshot, choice, values)
    correlation = pd.concat([_correlation_rows(other, values, means, counts) for other in others], ignore_index=True)
    known = others[0].name if len(others) > 1 else None
    notes = about_scales(snapshot, choice) + about_reference(snapshot, choice, others, values.averaged)
    for name, observed in correlation.groupby("against", sort=False)["observed"]:
        notes += about_order(str(name), observed.iloc[0])
    if of != "questions":
        # With itself as it is a board correlates perfectly, and every draw less.
        mine = correlation[correlation["against"] != ITSELF]
        notes += about_intervals(
            {NAMES[one.coefficient]: (one.observed, one.low, one.high) for one in mine.itertuples()}
        )
    rows = _rank_rows(values, means, top)
    return Stability(title(choice), of, number, seed, top, known, rows, correlation, notes)


def redrawn(
    snapshot: Snapshot,
    choice: Evaluation,
    values: Values,
    of: Drawn,
    draws: int,
    seed: int,
    progress: Progress = no_progress,
) -> tuple[Floats, Ints | None]:
    """(draws, R) means over draws of queries, questions or both, and (draws, Q) how often each query was drawn.

    A mean is NaN where no query of the draw counts for a run; without counts all queries stayed.
    """
    counts = None if of == "questions" else bootstrap_counts(len(values.query_ids), draws, seed)
    if of == "queries":
        return bootstrap_means(values.values, counts), counts  # type: ignore[arg-type]
    again = redrawing(snapshot, choice)
    rng = np.random.default_rng([seed, 1])  # not the stream that the queries are drawn from
    asked = [again.book.query_ids.index(query) for query in values.query_ids]
    drawn = (draw_questions(again.book.enabled, rng) for _ in range(draws))
    often = np.ones((draws, len(asked)), np.int64) if counts is None else counts
    means = np.empty((draws, len(values.run_ids)))
    found = engine.current().map(partial(_once, again, asked), zip(drawn, often, strict=True))
    for draw, means[draw] in enumerate(found):
        progress((draw + 1) / draws)
    return means, counts


def _once(again: Redrawing, asked: list[int], drawn: tuple[Ints, Ints]) -> Floats:
    """(R,) means over the queries asked, with the questions and queries of one draw."""
    questions, queries = drawn
    return bootstrap_means(again.values(questions)[:, asked], queries[None])[0]


def in_first(means: Floats, k: int) -> Bools:
    """(draws, R) whether fewer than k runs have a larger mean; false for a run without one."""
    rounded = np.round(means, DIGITS)
    ordered = -np.sort(-rounded, axis=1)  # NaN comes last
    place = min(k, rounded.shape[1]) - 1
    last = ordered[:, place, None]
    return np.asarray(np.where(np.isnan(last), ~np.isnan(rounded), rounded >= last))


def _rank_rows(values: Values, means: Floats, top: int) -> pd.DataFrame:
    ranks = mean_rank(means)
    low, high = percentile_interval(ranks)
    median, _ = percentile_interval(ranks, 0.0)
    mean, _, _ = mean_and_stderr(values.values)
    tier = tiers(values.values)
    undefined = np.isnan(ranks).all(axis=0)
    held = (in_first(means, 1), in_first(means, top), _in_tier(ranks, tier))
    first, top_k, kept = (np.where(undefined, np.nan, one.mean(axis=0)) for one in held)
    tier_or_none = pd.Series(tier, dtype="Int64").mask(tier == 0)
    columns = (values.run_ids, mean, mean_rank(mean), defined_mean(ranks), low, median, high, first, top_k)
    rows = ROWS.of(dict(zip(ROWS.names, (*columns, tier_or_none, kept), strict=True)))
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


def _in_tier(ranks: Floats, tier: Ints) -> Bools:
    """(draws, R) whether a run's rank is among the places of its tier."""
    above = np.array([(tier[tier > 0] < one).sum() for one in tier])
    places = np.array([(tier == one).sum() for one in tier])
    return np.asarray((ranks >= above + 1) & (ranks <= above + places))


def _correlation_rows(other: ReferenceBoard, values: Values, means: Floats, counts: Ints | None) -> pd.DataFrame:
    samples = other.over(means, counts)
    mean, _, _ = mean_and_stderr(values.values)
    observed = correlations(mean[other.runs], other.fixed, RANK_COEFFICIENTS)
    rows = []
    for name in RANK_COEFFICIENTS:
        sample = getattr(samples, name)
        low, high = percentile_interval(sample)
        rows.append((other.name, name, float(getattr(observed, name)), float(defined_mean(sample)), low, high))
    return CORRELATION.of(rows).astype({"low": float, "high": float})
