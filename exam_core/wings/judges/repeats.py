"""Whether a grader agrees with itself: grades of one prompt and model given again, one by one and as boards."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import evaluation_of
from exam_core.analysis.values import counted_values
from exam_core.charts.chart_layout import axis, bars, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.errors import UsageError
from exam_core.numbers.annotator_agreement import cohen_kappa, krippendorff_alpha, observed_agreement
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import correlations, mean_rank
from exam_core.numbers.resampling import bootstrap_counts, bootstrap_means, jackknife_interval, percentile_interval
from exam_core.progress import Progress, no_progress
from exam_core.request import Request
from exam_core.results import ResultColumn, ResultTable, count, decimal, share, signed, text
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.summary import alias_of, graders

VOTED = re.compile(r"\b\d+-samples(?!-last)")
STABLE = 0.99
"""The reliability from which repetitions give the same board."""
_OVER_QUERIES = "95% interval that leaves out each query in turn."


def _with_ends(column: ResultColumn) -> tuple[ResultColumn, ...]:
    ends = [
        decimal(f"{column.name}_{end}", label, _OVER_QUERIES) for end, label in (("low", "95% from"), ("high", "to"))
    ]
    return column, *ends


ROWS = ResultTable(
    "repeats: rows",
    "Every pair of repetitions, in the order in which they are named",
    text("first", "Repetition", pinned=True),
    text("second", "Another one"),
    count("grades", "Grades", "Passages and questions that all repetitions grade readably.", "grades"),
    *_with_ends(share("agreement", "Equal grades", "Share of the grades that are the same.", "share of the grades")),
    *_with_ends(decimal("kappa", "Kappa", "Cohen's kappa, every grade a class.", source="Cohen 1960")),
    *_with_ends(share("moved", "Across tau", "Share of the grades on the other side of tau.", "share of the grades")),
    *_with_ends(signed("change", "Change", "Mean of the other grade minus the first one: drift.", "grades")),
    decimal("kendall", "Kendall of the leaderboards", "Kendall's tau-b of the two leaderboards."),
    decimal("kendall_low", "95% from", "Percentiles over resampled queries."),
    decimal("kendall_high", "to", "Percentiles over resampled queries."),
    decimal("places", "Places", "Mean over the runs of how many places apart they are ranked.", "places"),
)


@dataclass(frozen=True)
class Repeats:
    """What repetitions of a grader's work are to each other: `rows` are `ROWS`.

    Parameters
    ----------
    alpha, alpha_interval : Krippendorff's alpha of all repetitions, ordinal
    reliability : of one repetition's board: the intraclass correlation of the runs' means
    needed : repetitions whose mean is reliable to `STABLE`; None where the reliability is not above 0
    """

    graders: tuple[str, ...]
    measure: str
    tau: int
    queries: int
    rows: pd.DataFrame
    alpha: float
    alpha_interval: tuple[float, float]
    reliability: float
    needed: int | None
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


def repetitions(snapshot: Snapshot) -> list[str]:
    """The largest set of graders that have the same prompt and model; empty where no two have.

    Grades that several answers make together are none of them.
    """
    groups: dict[tuple[Any, Any], list[str]] = {}
    for name in graders(snapshot):
        about = snapshot.graders.get(name, {})
        prompt = (about.get("prompt_info") or {}).get("prompt_class")
        if prompt and not VOTED.search(name):
            groups.setdefault((prompt, about.get("llm")), []).append(name)
    largest = max(groups.values(), key=len, default=[])
    return largest if len(largest) > 1 else []


def repeats(
    snapshot: Snapshot,
    request: Request,
    names: Sequence[str],
    *,
    draws: int,
    seed: int,
    progress: Progress = no_progress,
) -> Repeats:
    """Compare graders that are repetitions of one another: other seeds, temperatures, orders of choices, or later days.

    `request` has the measure and tau of the boards. Raises UsageError where fewer than two graders are named, or no
    passage is graded by all of them.

    Source: Krippendorff 2011 (alpha); McGraw & Wong 1996, ICC(C,1) (reliability); Spearman 1910 and Brown 1910 (how
    many repetitions).
    """
    if len(set(names)) < 2:
        raise UsageError("Name two or more grading modes that are repetitions of one another, each once: --graders a,b")
    choices = [evaluation_of(snapshot, request, name)[0] for name in names]
    tau = choices[0].level
    if tau != choices[0].tau:
        raise UsageError(f"--tau {choices[0].tau}: repetitions are compared by whole grades, so choose a whole tau.")
    values, query = _grades(snapshot, choices)
    size, queries = int(values.max()) + 1, int(query.max()) + 1
    tables = {
        pair: _tables(values[:, pair], query, queries, size) for pair in itertools.combinations(range(len(names)), 2)
    }
    progress(0.3)
    boards = [counted_values(snapshot, choice) for choice in choices]
    runs = [run for run in boards[0].run_ids if all(run in board.run_ids for board in boards[1:])]
    common = [name for name in boards[0].query_ids if all(name in board.query_ids for board in boards[1:])]
    arrays = np.stack(
        [
            pd.DataFrame(board.values, board.run_ids, board.query_ids).loc[runs, common].to_numpy(float)
            for board in boards
        ]
    )
    rows = list(_rows(names, tables, tau, arrays, bootstrap_counts(len(common), draws, seed)))
    everyone = np.sum(list(tables.values()), axis=0) / (len(names) - 1)
    alpha, ends = _over_queries(krippendorff_alpha, everyone, -1.0)
    reliability = board_reliability(mean_and_stderr(arrays)[0].T)
    return Repeats(
        tuple(names),
        choices[0].heading,
        tau,
        queries,
        ROWS.of(rows),
        alpha,
        ends,
        reliability,
        repetitions_needed(reliability),
        draws,
        seed,
    )


def _grades(snapshot: Snapshot, choices: Sequence[Evaluation]) -> tuple[Ints, Ints]:
    """(N, G) grades that all graders gave readably, and (N,) numbers of their queries."""
    names = [str(choice.grading.grader) for choice in choices]
    bank = choices[0].grading.bank_id
    of_bank = "AND question_id IN (SELECT question_id FROM questions WHERE bank_id = ?)" if bank else ""
    marks = ", ".join("?" * len(names))
    frame = snapshot.query(
        f"SELECT query_id, doc_id, coalesce(question_id, '') AS item, grader_id, grade FROM grades "
        f"WHERE grade IS NOT NULL AND grader_id IN ({marks}) {of_bank}",
        [*names, *([BankRef.parse(bank).name] if bank else [])],
    )
    wide = frame.pivot(index=["query_id", "doc_id", "item"], columns="grader_id", values="grade")
    wide = wide.reindex(columns=names).dropna()
    if wide.empty:
        raise UsageError(f"No passage is graded by all of {', '.join(names)}.")
    query, _ = pd.factorize(wide.index.get_level_values("query_id"))
    return wide.to_numpy(np.int64), query.astype(np.int64)


def _tables(pair: Ints, query: Ints, queries: int, size: int) -> Ints:
    """(Q, k, k) counts of two repetitions' grades by query."""
    place = (query * size + pair[:, 0]) * size + pair[:, 1]
    return np.bincount(place, minlength=queries * size * size).reshape(queries, size, size)


def _over_queries(
    figure: Callable[[Any], Any], tables: Ints | Floats, least: float = 0.0, most: float = 1.0
) -> tuple[float, tuple[float, float]]:
    """A figure of (Q, k, k) tables together, and its interval over the queries, within what the figure can be."""
    total = tables.sum(axis=0)
    without = np.asarray(figure(total - tables), float)
    whole = float(figure(total))
    low, high = jackknife_interval(whole, without)
    return whole, (float(np.maximum(low, least)), float(np.minimum(high, most)))


def moved_across(tables: Ints | Floats, tau: int) -> Any:
    """(...) share of (..., k, k) pairs of grades of which one is at least tau and the other is not; NaN for none."""
    at_least = np.arange(tables.shape[-1]) >= tau
    apart = at_least[:, None] != at_least
    total = tables.sum(axis=(-2, -1))
    return np.where(total > 0, (tables * apart).sum(axis=(-2, -1)) / np.maximum(total, 1), np.nan)


def _mean_change(tables: Ints | Floats) -> Any:
    """(...) mean of the second grade minus the first one of (..., k, k) pairs."""
    place = np.arange(tables.shape[-1])
    total = tables.sum(axis=(-2, -1))
    return (tables * (place - place[:, None])).sum(axis=(-2, -1)) / np.maximum(total, 1)


def _rows(
    names: Sequence[str], tables: dict[tuple[int, int], Ints], tau: int, boards: Floats, counts: Ints
) -> Iterator[dict[str, Any]]:
    """A row of `ROWS` for each pair; `boards` are (G, R, Q) values, and `counts` draws of their queries."""
    figures: dict[str, tuple[Callable[[Any], Any], float, float]] = {
        "agreement": (observed_agreement, 0.0, 1.0),
        "kappa": (cohen_kappa, -1.0, 1.0),
        "moved": (lambda part: moved_across(part, tau), 0.0, 1.0),
        "change": (_mean_change, -np.inf, np.inf),
    }
    drawn = bootstrap_means(boards, counts)
    means = mean_and_stderr(boards)[0]
    for (a, b), of_queries in tables.items():
        row: dict[str, Any] = {"first": names[a], "second": names[b], "grades": int(of_queries.sum())}
        for name, (figure, least, most) in figures.items():
            whole, (low, high) = _over_queries(figure, of_queries, least, most)
            row |= {name: whole, f"{name}_low": low, f"{name}_high": high}
        row["kendall"] = float(correlations(means[a][None], means[b], ("kendall",)).kendall[0])
        each = correlations(drawn[:, a][:, None], drawn[:, b][:, None], ("kendall",)).kendall[:, 0]
        row |= dict(zip(("kendall_low", "kendall_high"), map(float, percentile_interval(each)), strict=True))
        yield row | {"places": float(np.abs(mean_rank(means[a]) - mean_rank(means[b])).mean())}


def board_reliability(means: Floats) -> float:
    """The intraclass correlation ICC(C,1) of (R, G) means of runs by repetition: how much of a board is the runs' own.

    NaN with fewer than two runs or repetitions, or where all means are equal.

    Source: McGraw & Wong 1996.

    >>> print(round(board_reliability(np.array([[0.1, 0.2], [0.4, 0.5], [0.7, 0.6]])), 3))
    0.9
    """
    means = means[~np.isnan(means).any(axis=1)]
    runs, repeated = means.shape
    if min(runs, repeated) < 2:
        return math.nan
    of_runs = repeated * ((means.mean(axis=1) - means.mean()) ** 2).sum() / (runs - 1)
    rest = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    noise = (rest**2).sum() / ((runs - 1) * (repeated - 1))
    below = of_runs + (repeated - 1) * noise
    return float((of_runs - noise) / below) if below > 0 else math.nan


def repetitions_needed(reliability: float, wanted: float = STABLE) -> int | None:
    """How many repetitions' mean is as reliable as wanted; None where one alone is not reliable at all.

    Source: Spearman 1910; Brown 1910.

    >>> repetitions_needed(0.9), repetitions_needed(0.995), repetitions_needed(0.0)
    (11, 1, None)
    """
    if not reliability > 0:
        return None
    return max(1, math.ceil(round(wanted * (1 - reliability) / (reliability * (1 - wanted)), 9)))


def repeats_sentences(result: Repeats, snapshot: Snapshot) -> list[str]:
    """How far repetitions agree, what that does to the board, and how many of them make it stable."""
    rows = result.rows
    low, high = result.alpha_interval
    needed = "no number of them reaches more"
    if result.needed:
        needed = f"the mean of {result.needed} reaches {STABLE}" if result.needed > 1 else "needs no second one"
    kendall, equal, moved = rows["kendall"], rows["agreement"].mean(), rows["moved"].mean()
    sentences = [
        f"{len(result.graders)} repetitions give {equal:.1%} equal grades; {moved:.1%} move across tau {result.tau}. "
        f"Krippendorff's alpha is {result.alpha:.3f} [{low:.3f}, {high:.3f}].",
        f"Their leaderboards by {result.measure} have a Kendall of {kendall.min():.3f} to {kendall.max():.3f}; one "
        f"alone is reliable to {result.reliability:.3f}, and {needed}.",
    ]
    for row in rows[(rows["change_low"] > 0) | (rows["change_high"] < 0)].to_dict("records"):
        names = [alias_of(snapshot, str(row[name])) for name in ("second", "first")]
        sentences.append(
            f"{names[0]} grades {abs(row['change']):.3f} {'higher' if row['change'] > 0 else 'lower'} than {names[1]} "
            f"on average [{row['change_low']:+.3f}, {row['change_high']:+.3f}]."
        )
    return sentences


def repeats_figure(result: Repeats, snapshot: Snapshot) -> go.Figure:
    """The share of grades across tau of each pair of repetitions, with its interval."""
    rows = result.rows
    names = [
        " and ".join(alias_of(snapshot, str(row[name])) for name in ("first", "second"))
        for row in rows.to_dict("records")
    ]
    figure = go.Figure()
    figure.add_scatter(
        x=rows["moved"],
        y=[escape_name(name) for name in names],
        mode="markers",
        marker={"size": 10},
        error_x=bars(rows["moved"], rows["moved_low"], rows["moved_high"]),
        hovertemplate="%{y}<br>%{x:.1%}<extra></extra>",
    )
    figure.update_layout(
        size_layout(max(220, 90 + 28 * len(rows))),
        xaxis=axis(f"share of the grades that move across tau {result.tau}", tickformat=".2~%"),
        yaxis={"automargin": True, "autorange": "reversed"},
    )
    return with_description(figure, " ".join(repeats_sentences(result, snapshot)))
