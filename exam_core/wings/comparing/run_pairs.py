"""Runs of one leaderboard in pairs: paired tests, tiers, and one pair query by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis import uncertainty
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard, title
from exam_core.analysis.references import no_values, refuse_without_values, values_of_leaderboard
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import DIFFERENCE, MEAN, QUERY, QUERY_TEXT, RANK, RUN, STDERR
from exam_core.analysis.values import Values, row_of
from exam_core.charts.chart_layout import CELLS, CHOSEN, margin, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers import significance_tests as measures
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, mean_rank
from exam_core.numbers.resampling import mean_interval
from exam_core.numbers.significance_tests import separable_share
from exam_core.numbers.true_means import rank_intervals
from exam_core.request import BoardTest, PairTest
from exam_core.results import ResultTable, decimal, flag, number, signed, text
from exam_core.store import Snapshot
from exam_core.store.pairs import texts_of
from exam_core.wording import counted

INTERVAL = "95% interval of the mean: Student's t with n - 1 degrees of freedom."
ROWS = ResultTable(
    "significance: rows",
    "A leaderboard with its tiers, best run first",
    RUN,
    MEAN,
    STDERR,
    decimal("low", "95% from", INTERVAL, "score", source="Student 1908"),
    decimal("high", "to", INTERVAL, "score", source="Student 1908"),
    number("n_queries", "Queries", "Queries that the mean is taken over.", "queries"),
    RANK,
    number("rank_low", uncertainty.RANK_INTERVAL_LABEL, uncertainty.RANK_INTERVAL, "rank", form="%.1f"),
    number("rank_high", "to", uncertainty.RANK_INTERVAL, "rank", form="%.1f"),
    number("tier", "Tier", f"{uncertainty.TIER} (the chosen test, adjusted for all pairs), {uncertainty.BY_BARS}."),
)
EFFECT = "Mean difference over the sample standard deviation of the differences: d of matched pairs (d_z)."
EFFECT_INTERVAL = "95% interval of d, by the noncentral t distribution."
RANK_BISERIAL = (
    "Sum of Wilcoxon's ranks of the queries that are won minus that of those lost, over the sum of all ranks: -1 to 1."
)
TUKEY = "The randomised Tukey HSD test is adjusted for all pairs itself: p stands here unchanged."
PAIRS = ResultTable(
    "significance: pairs",
    "Every pair of runs, in the order of the leaderboard",
    text("run_a", "Better run", pinned=True),
    text("run_b", "Other run"),
    signed("difference", "Difference", "Mean over the queries of the better run's value minus the other's.", "score"),
    number("n_queries", "Queries", "Queries that count for both.", "queries"),
    decimal("p", "p", "Two-sided p of the chosen test."),
    decimal("p_holm", "Holm p", f"p after Holm's adjustment for all pairs. {TUKEY}", source="Holm 1979"),
    flag("separable", "Separable", "Holm p below 0.05."),
    signed("effect", "Effect size d", EFFECT, "standard deviations", "Cohen 1988, chapter 2"),
    signed("effect_low", "d: 95% from", EFFECT_INTERVAL, "standard deviations", "Cumming & Finch 2001"),
    signed("effect_high", "to", EFFECT_INTERVAL, "standard deviations", "Cumming & Finch 2001"),
    signed("rank_biserial", "Rank-biserial", RANK_BISERIAL, source="Kerby 2014"),
    number(
        "wins", "Wins", "Queries on which the better run's value is above the other's, by more than 1e-9.", "queries"
    ),
    number("ties", "Ties", "Queries on which neither is above the other.", "queries"),
    number("losses", "Losses", "Queries on which the other run's value is above.", "queries"),
    flag("bars_overlap", "Error bars overlap", "Bars of one standard error."),
)

EFFECTS = ("effect", "effect_low", "effect_high", "rank_biserial")

BASELINE = ResultTable(
    "significance: baseline",
    "Every other run beside a baseline, best run first",
    RUN,
    MEAN,
    signed("difference", "Difference", "Mean over the queries of the run's value minus the baseline's.", "score"),
    number("wins", "Wins", "Queries on which the run's value is above the baseline's, by more than 1e-9.", "queries"),
    number("ties", "Ties", "Queries on which neither is above the other.", "queries"),
    number("losses", "Losses", "Queries on which the baseline's value is above the run's.", "queries"),
    number("n_queries", "Queries", "Queries that count for both.", "queries"),
    *PAIRS.ordered("p", "p_holm", "separable", *EFFECTS).columns,
).changed(p_holm={"help": "p after Holm's adjustment for the comparisons with the baseline."})


@dataclass(frozen=True)
class EveryPair:
    """Every pair of runs of a leaderboard, by the paired t-test; `pairs` are `PAIRS`."""

    title: str
    pairs: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AgainstBaseline:
    """Every run of a leaderboard beside a baseline; `rows` are `BASELINE`."""

    title: str
    baseline: str
    test: PairTest
    draws: int
    seed: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Significance:
    """What of a leaderboard's order is more than chance: `rows` are `ROWS`, `pairs` `PAIRS`.

    `shares` has by criterion the share of pairs that it holds separable: error bars, three usual tests and the chosen
    one, unadjusted and after Holm.
    """

    title: str
    test: BoardTest | None
    draws: int
    seed: int
    rows: pd.DataFrame
    pairs: pd.DataFrame
    shares: dict[str, float]
    notes: list[str] = field(default_factory=list)


def significance(
    snapshot: Snapshot, choice: Evaluation, *, test: BoardTest = "t", draws: int = DRAWS, seed: int = SEED
) -> Significance:
    """Tests of all pairs of runs over the queries that both have, and the leaderboard in tiers.

    A pair is separable where the test's p, adjusted for all pairs, is below 0.05: by Holm, or by Tukey's test itself. A
    tier ends before the first run that is separable from its best run. Raises UsageError where there is nothing to
    evaluate.

    Source: Smucker, Allan & Carterette 2007 (t, bootstrap, randomisation); Wilcoxon 1945; Carterette 2012 (Tukey); Holm
    1979; overlap of error bars as in EXAM++.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    about, bounds = _about(snapshot, choice, values.values), choice.measure.info.bounds
    return _tested(values, title(choice), about, (test, draws, seed), bounds)


def of_values(
    snapshot: Snapshot, leaderboard_id: str, *, test: BoardTest = "t", draws: int = DRAWS, seed: int = SEED
) -> Significance:
    """As `significance`, of a leaderboard that was imported with values by query.

    Raises UsageError where there is no such leaderboard, or it came without.
    """
    values = _imported(snapshot, leaderboard_id)
    return _tested(values, leaderboard_id, _few(values.values), (test, draws, seed), (-np.inf, np.inf))


def _imported(snapshot: Snapshot, leaderboard_id: str) -> Values:
    refuse_without_values(snapshot, leaderboard_id)
    values = values_of_leaderboard(snapshot, leaderboard_id)
    if values is None:
        raise UsageError(no_values(leaderboard_id))
    stays = [row for row, run_id in enumerate(values.run_ids) if run_id not in snapshot.left_out]
    return Values([values.run_ids[row] for row in stays], values.query_ids, values.values[stays])


def _tested(
    values: Values, name: str, about: list[str], how: tuple[BoardTest, int, int], bounds: tuple[float, float]
) -> Significance:
    """The tests of all pairs; `how` is test, draws and seed, and `bounds` are those of a mean."""
    test, draws, seed = how
    tested = {
        name: uncertainty.all_pairs(name, values.values, draws, seed)
        for name in dict.fromkeys((*uncertainty.USUAL_TESTS, test))
    }
    p, adjusted = tested[test]
    mean, stderr, n = mean_and_stderr(values.values)
    bars = measures.overlap(mean, stderr)
    low, high = mean_interval(values.values, bounds=bounds)
    ranks = (mean_rank(mean), *rank_intervals(values.values, draws, seed))
    tier = uncertainty.tier_column(measures.tiers(mean, adjusted < uncertainty.ALPHA))
    columns = (values.run_ids, mean, stderr, low, high, n, *ranks, tier)
    rows = ROWS.of(dict(zip(ROWS.names, columns, strict=True))).sort_values(["rank", "run_id"], ignore_index=True)
    pairs = _pairs(values.run_ids, values.values, mean, _squares(values.values, p, adjusted, bars))
    shares = {"error_bars": separable_share(~bars, mean)}
    for name_of_test, both in tested.items():
        for key, ps in zip((name_of_test, uncertainty.criterion(name_of_test)), both, strict=True):
            shares[key] = separable_share(ps < uncertainty.ALPHA, mean)
    about = [
        *about,
        *(_about_tukey(values.values) if test == "tukey" else []),
        *uncertainty.about_draws(draws, len(pairs)),
    ]
    return Significance(name, test, draws, seed, rows, pairs, shares, about)


def _about_tukey(values: Floats) -> list[str]:
    """A note on queries that do not count for every run, which Tukey's test leaves out."""
    known = ~np.isnan(values[~np.isnan(values).all(axis=1)])
    count, n = int(known.all(axis=0).sum()), values.shape[1]
    return [f"Tukey's test takes the {count} of {n} queries that count for every run."] if count < n else []


def every_pair(snapshot: Snapshot, choice: Evaluation) -> EveryPair:
    """Every pair of runs with wins by query and the paired t-test; the same rows as those of `significance`.

    Raises UsageError where there is nothing to evaluate.

    Source: Student 1908; Holm 1979.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    mean, stderr, _ = mean_and_stderr(values.values)
    squares = _squares(values.values, *uncertainty.all_pairs("t", values.values, 0, 0), measures.overlap(mean, stderr))
    pairs = _pairs(values.run_ids, values.values, mean, squares)
    return EveryPair(title(choice), pairs, _about(snapshot, choice, values.values))


def against(
    snapshot: Snapshot,
    choice: Evaluation | str,
    baseline: str,
    *,
    test: PairTest = "t",
    draws: int = DRAWS,
    seed: int = SEED,
) -> AgainstBaseline:
    """Every other run beside one: differences, wins, and tests with Holm's adjustment for these comparisons alone.

    `choice`: an evaluation, or the name of a leaderboard that was imported with values by query. Raises UsageError: no
    such run, or nothing to evaluate.

    Source: Smucker, Allan & Carterette 2007 (the tests); Holm 1979.
    """
    if isinstance(choice, str):
        values, name = _imported(snapshot, choice), choice
        about = _few(values.values)
    else:
        values, name = uncertainty.values_of_runs(snapshot, choice), title(choice)
        about = _about(snapshot, choice, values.values)
    base = row_of(values, baseline)
    p = uncertainty.TESTS[test](values.values, draws, seed)
    adjusted = measures.holm_against(p, base)
    mean, _, _ = mean_and_stderr(values.values)
    difference, _, n = mean_and_stderr(values.values - values.values[base])
    columns = {"run_id": values.run_ids, "mean": mean, "difference": difference, "n_queries": n, "p": p[base]}
    columns |= {item: square[:, base] for item, square in (_wins(values.values) | _effects(values.values)).items()}
    rows = BASELINE.of(columns | {"p_holm": adjusted, "separable": adjusted < uncertainty.ALPHA})
    order = np.lexsort((np.array(values.run_ids), -np.round(mean, DIGITS)))
    rows = rows.iloc[[run for run in order if run != base and not np.isnan(mean[run])]].reset_index(drop=True)
    drawn = uncertainty.about_draws(draws, len(rows)) if test in uncertainty.DRAWING else []
    return AgainstBaseline(name, baseline, test, draws, seed, rows, about + drawn)


def _squares(values: Floats, p: Floats, adjusted: Floats, bars: Bools) -> dict[str, npt.NDArray[Any]]:
    """(R, R) columns of `PAIRS` for the row's run and the column's."""
    tests = {"p": p, "p_holm": adjusted, "separable": adjusted < uncertainty.ALPHA, "bars_overlap": bars}
    return tests | _wins(values) | _effects(values)


def _effects(values: Floats) -> dict[str, Floats]:
    """(R, R) effect sizes of the row's run against the column's."""
    sizes = (*measures.effect_sizes(values), measures.rank_biserial(values))
    return dict(zip(EFFECTS, sizes, strict=True))


def _wins(values: Floats) -> dict[str, Ints]:
    """(R, R) wins, ties and losses of the row's run against the column's."""
    won, counted = measures.wins(values), (~np.isnan(values)).astype(np.int64)
    return {"wins": won, "ties": counted @ counted.T - won - won.T, "losses": won.T}


def of_board(board: Leaderboard) -> Significance:
    """What a leaderboard without queries shows: whether standard errors overlap; without them, nothing."""
    rows = board.rows[["run_id", "mean", "stderr", "n_queries", "rank"]]
    if rows["stderr"].isna().all():
        notes = [f"Only means are printed in {board.title}: there is nothing to test with."]
        return Significance(board.title, None, 0, 0, ROWS.of(), PAIRS.of(), {}, notes)
    mean, stderr = (rows[name].to_numpy(float) for name in ("mean", "stderr"))
    bars = measures.overlap(mean, stderr)
    unknown = np.full(bars.shape, np.nan)
    squares = dict.fromkeys(("p", "p_holm", "separable", *EFFECTS, "wins", "ties", "losses"), unknown) | {
        "bars_overlap": bars
    }
    pairs = _pairs(rows["run_id"].tolist(), mean[:, None], mean, squares).assign(n_queries=np.nan)
    rows = rows.assign(
        low=np.nan,
        high=np.nan,
        rank_low=np.nan,
        rank_high=np.nan,
        tier=uncertainty.tier_column(measures.tiers(mean, ~bars)),
    )
    notes = ["Printed errors without queries: nothing can be tested. A tier ends where error bars don't overlap."]
    return Significance(
        board.title, None, 0, 0, ROWS.of(rows), pairs, {"error_bars": separable_share(~bars, mean)}, notes
    )


def _pairs(run_ids: list[str], values: Floats, mean: Floats, squares: Mapping[str, npt.NDArray[Any]]) -> pd.DataFrame:
    """Every pair of runs that have a mean, the better one first, in the order of the leaderboard.

    `squares` are (R, R) arrays; each is a column of the frame.
    """
    by_name = np.argsort(np.array(run_ids), kind="stable")
    order = by_name[np.argsort(-np.round(mean[by_name], DIGITS), kind="stable")]
    order = order[~np.isnan(mean[order])]
    places = np.triu_indices(len(order), 1)
    first, second = order[places[0]], order[places[1]]
    difference, _, n = mean_and_stderr(values[first] - values[second])
    names = np.array(run_ids, object)
    columns = {name: square[first, second] for name, square in squares.items()}
    pairs = {"run_a": names[first], "run_b": names[second], "difference": difference, "n_queries": n}
    return PAIRS.of(pairs | columns)


def _about(snapshot: Snapshot, choice: Evaluation, values: Floats) -> list[str]:
    scope, scales = scope_of(snapshot, choice), about_scales(snapshot, choice)
    return [*scope.about_unreadable(), *scales, *_few(values), *scope.about_unanswered()]


def _few(values: Floats) -> list[str]:
    return ["There are fewer than two queries: nothing can be tested."] if values.shape[1] < 2 else []


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


@dataclass(frozen=True)
class RunPair:
    """Two runs, A and B, over the n queries that count for both: `rows` are `QUERIES`, `tests` `P_VALUES`.

    Wins, ties and losses are those of A, of differences rounded to 1e-9; the mean difference has its 95% interval
    (Student's t), and `effect` is it over the sample standard deviation, with its 95% interval: NaN where all
    differences are equal. `rank_biserial` is NaN where no query differs.
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
    effect_low: float
    effect_high: float
    rank_biserial: float
    tests: pd.DataFrame
    draws: int
    seed: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def run_pair(
    snapshot: Snapshot, choice: Evaluation, run_a: str, run_b: str, *, draws: int = DRAWS, seed: int = SEED
) -> RunPair:
    """Compare two runs query by query. Raises UsageError where there is no such run, or nothing to evaluate.

    Source: Smucker, Allan & Carterette 2007 (t, bootstrap, randomisation); Wilcoxon 1945; effect sizes as in Cohen
    1988, chapter 2 (d of matched pairs), and Kerby 2014.
    """
    values = uncertainty.values_of_runs(snapshot, choice)
    both = values.values[[row_of(values, run_a), row_of(values, run_b)]]
    counted = np.flatnonzero(~np.isnan(both).any(axis=0))
    both = both[:, counted]
    query_ids = [values.query_ids[query] for query in counted]
    difference = np.round(both[0] - both[1], DIGITS)
    columns = {"query_id": query_ids, "query_text": texts_of(snapshot, query_ids)}
    columns |= {"value_a": both[0], "value_b": both[1], "difference": difference}
    (mean_a, mean_b), _, _ = mean_and_stderr(both)
    bounds = choice.measure.info.difference_bounds
    low, high = (float(end[0]) for end in mean_interval(difference[None], bounds=bounds))
    tests = [(name, float(test(both, draws, seed)[0, 1])) for name, test in uncertainty.TESTS.items()]
    left_out = len(values.query_ids) - len(query_ids)
    scope = scope_of(snapshot, choice)
    notes = scope.about_unreadable((run_a, run_b))
    notes += [f"{left_out} queries count for one of the two runs only and are left out."] if left_out else []
    notes += about_scales(snapshot, choice)
    if choice.missing == "zero":
        notes += scope.about_unanswered((run_a, run_b))
    effects = {name: float(square[0, 1]) for name, square in _effects(both).items()}
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
        **effects,
        tests=P_VALUES.of(tests),
        draws=draws,
        seed=seed,
        rows=QUERIES.of(columns).sort_values(["difference", "query_id"], ascending=[False, True], ignore_index=True),
        notes=notes,
    )


PER_RUN, BESIDES, HIGHEST = 18, 150, 760
"""Pixels for each run, for what stands around the matrix, and of the highest chart."""
MARK = "●"
"""In a cell whose two runs differ significantly."""
MARKED = 60
"""Runs up to which a cell has room for a mark; of more, only cells of pairs that differ significantly are filled."""


def wins_figure(pairs: pd.DataFrame, baseline: str | None = None) -> go.Figure:
    """Share of the queries on which the row's run beats the column's; marked where a test tells the two apart.

    Of more than `MARKED` runs only the pairs that a test tells apart have a colour. `pairs` have run_a, run_b, wins,
    ties, losses, n_queries, p_holm, separable; each pair once, in the order of the board.
    """
    runs = list(dict.fromkeys([*pairs["run_a"], *pairs["run_b"]]))
    numbers = [str(place + 1) for place in range(len(runs))]
    rows = [f"{escape_name(run)}  {number}" for run, number in zip(runs, numbers, strict=True)]
    many = len(runs) > MARKED
    coloured = pairs[pairs["separable"].astype(bool)] if many else pairs
    share, marks, hover = _cells(coloured, {run: place for place, run in enumerate(runs)})
    won = "significant pairs alone" if many else f"{MARK} significant"
    named = {"text": f"share of queries won; {won}", "side": "top"}
    scale = {"title": named, "tickformat": ".0%", "thickness": 10}
    cells = go.Heatmap(
        x=numbers,
        y=rows,
        z=share,
        text=None if many else marks,
        texttemplate=None if many else "%{text}",
        hovertext=hover,
        hoverinfo="text",
        colorbar=scale | {"orientation": "h", "y": -0.03, "yanchor": "top"},
        hoverongaps=False,
        **CELLS | {"xgap": 0 if many else 1, "ygap": 0 if many else 1, "showscale": None},
    )
    axis = {"automargin": True, "showgrid": False, "zeroline": False, "tickfont": {"size": 11}, "fixedrange": True}
    figure = go.Figure(cells).update_layout(
        # As many numbers as there is room for, upright: on a telephone that is every other one.
        xaxis=axis | {"title": "loses", "side": "top", "type": "category", "tickangle": 0},
        yaxis=axis | {"title": "wins", "autorange": "reversed", "type": "category"},
        margin=margin(),
        height=min(BESIDES + PER_RUN * len(runs), HIGHEST),
        shapes=_frames(runs.index(baseline), len(runs)) if baseline in runs else [],
    )
    return with_description(figure, wins_alternative(pairs))


def _cells(pairs: pd.DataFrame, place: dict[str, int]) -> tuple[Any, Any, Any]:
    """Share, mark and words of each cell, as matrices, which Plotly reads quicker than lists; nothing where a run
    meets itself.
    """
    share, marks, hover = (np.full((len(place), len(place)), fill, dtype=object) for fill in (None, "", ""))
    turned = {"run_a": "column", "run_b": "row", "wins": "losses", "losses": "wins"}
    both_ways = pd.concat([pairs.rename(columns={"run_a": "row", "run_b": "column"}), pairs.rename(columns=turned)])
    for cell in both_ways.itertuples():
        row, column = place[cell.row], place[cell.column]
        share[row, column] = cell.wins / cell.n_queries if cell.n_queries else None
        marks[row, column] = MARK if cell.separable else ""
        hover[row, column] = (
            f"{escape_name(cell.row)} beats {escape_name(cell.column)} on {cell.wins:g} of "
            f"{counted({'queries': cell.n_queries})}, {cell.ties:g} ties<br>Holm p = {cell.p_holm:.3f}"
        )
    return share, marks, hover


def _frames(place: int, n: int) -> list[dict[str, Any]]:
    """Around a run's row and its column."""
    frame = {"type": "rect", "line": {"width": 2, "color": CHOSEN}}
    narrow, whole = (place - 0.5, place + 0.5), (-0.5, n - 0.5)
    return [frame | {"x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1]} for x, y in ((narrow, whole), (whole, narrow))]


def wins_alternative(pairs: pd.DataFrame) -> str:
    """The matrix in words."""
    count = int(pairs["separable"].sum())
    runs = {*pairs["run_a"], *pairs["run_b"]}
    text = (
        f"Pairwise wins of {counted({'runs': len(runs)})}: {count} of {counted({'pairs': len(pairs)})} "
        f"differ significantly."
    )
    upset = pairs[pairs["losses"] > pairs["wins"]]
    if upset.empty:
        return f"{text} In every pair the run with the higher mean wins at least as many queries."
    return f"{text} In {len(upset)} pairs the run with the lower mean wins more queries."
