"""A leaderboard on other queries, or fewer queries or questions: the bootstrap of ranks, and subsets."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core import engine
from exam_core.analysis import uncertainty
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import title
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MEAN, RANK, RUN
from exam_core.analysis.values import Values
from exam_core.defaults import DRAWS, SEED, TOP_RUNS
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, defined_mean, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.request import Curve
from exam_core.results import ResultTable, decimal, number, share, text
from exam_core.store import Snapshot
from exam_core.table_text import written
from exam_core.wings.comparing.of_figures import ITSELF, about_reference, boards_to_compare
from exam_core.wings.comparing.run_pairs import AgainstBaseline, EveryPair, Significance
from exam_core.wings.comparing.swaps import Swaps
from exam_core.wording import counted, reference_in_words, typical_interval

RESAMPLED = "share of the resamplings"

INTERVAL = (
    "2.5th and 97.5th percentile of the rank over the resamplings. For an interval of the rank with unlimited queries, "
    "see the Leaderboard."
)
RANKS = ResultTable(
    "stability: rows",
    "Observed rank of each run and its rank over the resamplings, best first",
    RUN,
    MEAN,
    replace(RANK, help="Observed rank; ties share their mean rank."),
    number("rank_mean", "Mean rank", "Mean of the rank over the resamplings.", "rank", form="%.1f"),
    number("rank_low", uncertainty.RANK_INTERVAL_LABEL, INTERVAL, "rank", form="%.1f"),
    number("rank_median", "Median", "Median of the rank over the resamplings.", "rank", form="%.1f"),
    number("rank_high", "to", INTERVAL, "rank", form="%.1f"),
    share("first", "First in", "Share of the resamplings in which the run is first, alone or tied.", RESAMPLED),
    share(
        "top_k", "In the top 5 in", "Share of the resamplings in which fewer than five runs are above it.", RESAMPLED
    ),
    number("tier", "Tier", f"{uncertainty.TIER} {uncertainty.BY_T}."),
    share(
        "tier_kept",
        "Tier kept",
        "Share of the resamplings in which the run's rank is one of its tier's ranks.",
        RESAMPLED,
    ),
)
AGAINST = text("against", "With", f"{ITSELF} is the leaderboard itself, with all queries and questions.")


@dataclass(frozen=True)
class Stability:
    """Ranks of runs over draws of queries: `rows` are `RANKS`; tiers are those of `significance`.

    `top` is the K of the column `top_k`.
    """

    title: str
    draws: int
    seed: int
    top: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def stability(
    snapshot: Snapshot, choice: Evaluation, *, draws: int = DRAWS, seed: int = SEED, top: int = TOP_RUNS
) -> Stability:
    """Ranks over draws of the queries with replacement, all runs on the same ones.

    Raises UsageError where there is nothing to evaluate.

    Source: Efron & Tibshirani 1993, chapter 13; ranks over draws as in Lin & Demner-Fushman 2005, figure 5.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    means = bootstrap_means(values.values, bootstrap_counts(len(values.query_ids), draws, seed))
    notes = scope_of(snapshot, choice).about_unreadable() + about_scales(snapshot, choice)
    return Stability(title(choice), draws, seed, top, _rank_rows(values, means, top), notes)


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
    tier = uncertainty.tiers(values.values)
    undefined = np.isnan(ranks).all(axis=0)
    above = np.array([(tier[tier > 0] < own).sum() for own in tier])
    places = np.array([(tier == own).sum() for own in tier])
    in_tier = (ranks >= above + 1) & (ranks <= above + places)
    first, top_k, tier_kept = (
        np.where(undefined, np.nan, holds.mean(axis=0)) for holds in (in_first(means, 1), in_first(means, top), in_tier)
    )
    tier_or_none = pd.Series(tier, dtype="Int64").mask(tier == 0)
    columns = (values.run_ids, mean, mean_rank(mean), defined_mean(ranks), low, median, high, first, top_k)
    rows = RANKS.of(dict(zip(RANKS.names, (*columns, tier_or_none, tier_kept), strict=True)))
    return rows.sort_values(["rank", "run_id"], ignore_index=True)


COEFFICIENTS = ("spearman", "kendall")
SUBSETS = 50
MOST_SIZES = 25
Drawing = Callable[[int], tuple[Floats, Ints | None]]
"""(subsets, R) means over the subsets of a size, and (subsets, Q) which queries are in them; None where all are."""
SIZE_ROWS = ResultTable(
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
    """Correlations of leaderboards over random subsets, by the size of the subset: `rows` are `SIZE_ROWS`.

    They are NaN where fewer than 90% of the subsets have a coefficient.
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
    query with fewer questions than the size keeps all that it has. At most 25 sizes, evenly spread. Raises UsageError:
    no such reference, or nothing to evaluate; UndefinedMeasure: there are no questions to leave out.

    Source: the open question of EXAM++ on the size of the bank; subsets of queries as in Voorhees & Buckley 2002.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    others = boards_to_compare(snapshot, choice, values)
    rng = np.random.default_rng(seed)
    of_queries = of == "queries"
    sizes, drawn = _queries(values, subsets, rng) if of_queries else _questions(snapshot, choice, subsets, rng)
    by_board: dict[str, list[dict[str, object]]] = {other.name: [] for other in others}
    for done, size in enumerate(sizes, 1):
        means, counts = drawn(size)
        for other in others:
            coefficients = other.over(means, counts, COEFFICIENTS)
            row: dict[str, object] = {"against": other.name, "size": size, "n_runs": len(other.runs)}
            for name in COEFFICIENTS:
                samples = getattr(coefficients, name)
                low, high = percentile_interval(samples)
                row |= {name: float(defined_mean(samples)), f"{name}_low": float(low), f"{name}_high": float(high)}
            by_board[other.name].append(row)
        progress(done / len(sizes))
    rows = SIZE_ROWS.of(row for own in by_board.values() for row in own)
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
    again = uncertainty.redrawing(snapshot, choice)
    enabled = again.book.enabled
    places = [uncertainty.shuffled_places(enabled, rng) for _ in range(subsets)]

    def drawn(size: int) -> tuple[Floats, None]:
        def means(of: Ints) -> Floats:
            return mean_and_stderr(again.values(enabled & (of < size)))[0]

        return np.stack(list(engine.current().map(means, places))), None

    return sizes_up_to(int(enabled.sum(axis=1).max())), drawn


def _queries(values: Values, subsets: int, rng: np.random.Generator) -> tuple[list[int], Drawing]:
    """The sizes of subsets of the queries, and the means over them."""
    n = len(values.query_ids)
    places = uncertainty.shuffled_places(np.ones((subsets, n), bool), rng)

    def drawn(size: int) -> tuple[Floats, Ints]:
        counts = (places < size).astype(np.int64)
        return bootstrap_means(values.values, counts), counts

    return sizes_up_to(n), drawn


def significance_lines(significance: Significance) -> list[str]:
    """What share of the pairs each criterion tells apart, and notes."""
    lines = [significance.title]
    if significance.test:
        lines.append(
            f"Tiers: {uncertainty.CRITERIA[uncertainty.criterion(significance.test)]}, p < {uncertainty.ALPHA}. "
            f"{significance.draws:,} samples, seed {significance.seed}."
        )
    if significance.test and len(significance.pairs):
        first = significance.pairs["run_a"].iloc[0]
        beside = significance.pairs.loc[significance.pairs["run_a"] == first, "separable"]
        lines.append(f"{first} is significantly better than {int(beside.sum())} of {len(beside)} other runs.")
    shares = [f"  {uncertainty.CRITERIA[name]}: {written(share, '.1%')}" for name, share in significance.shares.items()]
    if shares:
        lines += [
            f"Significantly different pairs of runs (p < {uncertainty.ALPHA}), of {len(significance.pairs):,}:",
            *shares,
        ]
    return lines + significance.notes


def against_lines(against_baseline: AgainstBaseline) -> list[str]:
    """How many runs the test tells from the baseline, and notes."""
    frame = against_baseline.rows[against_baseline.rows["separable"]]
    better = int((frame["difference"] > 0).sum())
    return [
        f"{against_baseline.title}, beside {against_baseline.baseline}",
        f"{uncertainty.CRITERIA[f'{against_baseline.test}_holm']}, p < {uncertainty.ALPHA}: {better} of "
        f"{counted({'runs': len(against_baseline.rows)})} are better, {len(frame) - better} worse.",
        *against_baseline.notes,
    ]


def reliability_sentences(pairs: EveryPair, stability: Stability) -> list[str]:
    """How many pairs of runs differ significantly, and how far ranks move over resamplings, in sentences."""
    lines = []
    if n := len(pairs.pairs):
        count, queries = int(pairs.pairs["separable"].sum()), int(pairs.pairs["n_queries"].max())
        differing = f"{count:,} of {counted({'pairs': n})} of runs differ" if count else "No pair of runs differs"
        lines.append(f"{differing} significantly (paired t-test over {counted({'queries': queries})}, Holm-corrected).")
    known = stability.rows[stability.rows["rank"].notna()]
    if len(known):
        lines.append(first_and_width(known, f"{stability.draws:,} resamplings of the queries"))
    return lines


def stability_lines(stability: Stability) -> list[str]:
    """How the ranks were drawn, and notes."""
    lines = [
        f"{stability.title}: {stability.draws:,} resamplings of queries, seed {stability.seed}; top_k: in the "
        f"top {stability.top}"
    ]
    return lines + stability.notes


def curve_lines(size_curve: SizeCurve) -> list[str]:
    """What the sizes are of, and notes."""
    what = "each query's questions" if size_curve.of == "bank-size" else "the queries"
    drawn = f"{size_curve.subsets} random subsets of {what} at each size (seed {size_curve.seed})"
    return [f"{size_curve.title}: mean and middle 95% of {drawn}.", *size_curve.notes]


def swaps_lines(result: Swaps) -> list[str]:
    """How many pairs are swapped, and up to which difference, and notes."""
    share = written(result.swaps / result.pairs if result.pairs else math.nan, ".1%")
    reference = reference_in_words(str(result.reference))
    lines = [
        f"{result.title} against {reference}: {result.swaps:,} of "
        f"{counted({'pairs': result.pairs})} of {counted({'runs': result.n})} are "
        f"swapped ({share}); tied on one side: {result.tied_once:,}."
    ]
    if not math.isnan(result.largest):
        scores_of = reference if result.differences_of == "reference" else result.title
        lines.append(f"No pair whose scores in {scores_of} differ by more than {result.largest:.3f} is swapped.")
    if not math.isnan(result.separable_swaps):
        lines.append(
            f"Swapped pairs that differ significantly (paired t-test, Holm, p < {uncertainty.ALPHA}): "
            f"{result.separable_swaps:.0f}."
        )
    return lines + result.notes


def first_and_width(known: pd.DataFrame, of: str = "resamplings", by: str = "") -> str:
    """How often the best run is first, and how wide the intervals of ranks are, of rows that have a rank.

    `of` says what is resampled, and how often; `by` names the leaderboard.
    """
    best = known.iloc[0]
    width = typical_interval((known["rank_high"] - known["rank_low"]).median())
    tied = int((known["rank"] == best["rank"]).sum())
    share = f"in every one of {of}" if best["first"] == 1 else f"in {best['first']:.0%} of {of}"
    first = f"{best['run_id']} is first, alone or tied, {share}"
    return f"{f'{tied} runs share the first place' if tied > 1 else first}{by}; {width}."
