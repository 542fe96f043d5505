"""Whether a grader prefers runs with a tag, such as those that use an LLM: their displacement against other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import ALL, method_titles
from exam_core.analysis.references import Paired, needed_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MOVED, MOVED_SCORE
from exam_core.analysis.uncertainty import values_of_runs
from exam_core.charts.chart_layout import axis, bars, colour, offset_in_line, one_a_line, size_layout, with_description
from exam_core.charts.leaderboard_lines import SYMBOLS, escape_name, in_lines
from exam_core.defaults import DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.displacement import (
    FEWEST_OTHERS,
    FEWEST_QUERIES,
    displacement_interval,
    list_interval,
    rank_displacement,
    ranks_beside_list,
    score_by_query,
    score_displacement,
)
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.resampling import LEVEL, bootstrap_counts, bootstrap_means, expanded, step_interval
from exam_core.numbers.share_intervals import tango, wilson
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, count, number, signed, text
from exam_core.store import Snapshot
from exam_core.tags import GROUP, tagged
from exam_core.wording import quoted

_OTHERS = "Runs without this tag; they may have another one."
ROWS = ResultTable(
    "circularity: rows",
    "Displacement of the runs with a tag against the others, by every method and by all together",
    text("tag", "Tag", pinned=True),
    text("method", "Method", "A measure and whose grades it counts; all: the mean over the methods."),
    count("n_tagged", "Tagged", "Runs with the tag that the method and the reference have.", "runs"),
    count("n_others", "Others", _OTHERS, "runs"),
    count("queries", "Queries", "Left out in turn, or resampled, for the intervals.", "queries"),
    signed(
        "score_displacement",
        MOVED_SCORE,
        "Mean over the tagged runs of the score minus what the least-squares line of score on reference, fitted to the "
        "other runs alone, expects.",
        "score",
    ),
    signed(
        "score_low",
        "95% from",
        "Student's t interval of the score's displacement over the queries; each is left out in turn (jackknife "
        "pseudo-values). Runs are taken as they are.",
        "score",
        "Tukey 1958; Efron & Tibshirani 1993, chapter 11",
    ),
    signed("score_high", "to", "Upper end of that interval.", "score"),
    number(
        "rank_displacement",
        MOVED,
        "Mean over the tagged runs of rank in the reference - own rank, minus the same mean over the others.",
        "ranks",
        form="%+.2f",
    ),
    number(
        "rank_low",
        "95% from (ranks)",
        "Beside a reference by query: 2.5% mid-quantile over bootstrap samples of the queries, wider with few, as "
        "Student's t is. Beside a list: 1% mid-quantile over simulated true means.",
        "ranks",
        "Hesterberg 2015; Ma, Genton & Parzen 2011",
        form="%+.2f",
    ),
    number("rank_high", "to (ranks)", "Upper end of that interval.", "ranks", form="%+.2f"),
)
NOT_A_PROOF = (
    "A displacement shows that grader and reference disagree on these runs, not why: the runs may be better than the "
    "reference says."
)


@dataclass(frozen=True)
class Circularity:
    """Displacement of tagged runs: `ROWS`; draws and seed are those of the intervals of ranks.

    `tags`: the runs with each tag that are evaluated.
    """

    reference: str
    tags: dict[str, list[str]]
    rows: pd.DataFrame
    draws: int
    seed: int
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Displacement:
    """Displacement of one group by one method: values, pseudo-values (Q,) of scores, draws of ranks (draws,).

    `listed`: whether the reference is a list, and draws are of true means; else they are of queries.
    """

    score: float
    rank: float
    pseudo: Floats
    drawn: Floats
    listed: bool


def circularity(
    snapshot: Snapshot,
    choices: Sequence[Evaluation],
    tags: Sequence[str] = (),
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Circularity:
    """Displacement of the runs with each tag against the other runs, by every method and by all together.

    Runs are fixed and queries are the sample: intervals say what other queries of the kind would have shown of these
    runs, not what other runs would. All methods leave out, or draw, the same queries, so their mean has an interval
    although they share runs and passages. A reference that is computed here loses the same queries; a list stays, and
    ranks beside it are those of draws of the true means.

    `choices` are the methods (`outliers.method_choices`), and `tags` by default all that runs have. There is no
    interval (NaN) where there are fewer than five queries; all is NaN where there are fewer than three other runs.
    Raises UsageError: no run has a tag, or none this one; no reference; nothing to evaluate.

    Source: displacement of scores as the group's adjusted difference, a line of the others; Tukey 1958 (jackknife);
    Efron & Tibshirani 1993, chapters 11 and 13; Hesterberg 2015 (percentiles with few queries); Ma, Genton & Parzen
    2011 (quantiles of draws that take few values).
    """
    each = [values_of_runs(snapshot, choice) for choice in choices]
    references = [needed_reference(snapshot, choice.reference, choice) for choice in choices]
    sides = [pair_with(values, other) for values, other in zip(each, references, strict=True)]
    evaluated = sorted({run for side in sides for run in side.run_ids})
    groups = tagged(dict(snapshot.tags), evaluated)
    about_graders = [tag for tag in groups if not tag.startswith(GROUP)]
    if not (tags or about_graders):
        raise UsageError(
            f"No run of {snapshot.collection} that is evaluated has a tag. Give one with: examboard tags "
            f'{quoted(snapshot.collection)} {quoted(evaluated[0] if evaluated else "RUN")} "uses an LLM"'
        )
    if unknown := [tag for tag in tags if tag not in groups]:
        raise UsageError(f"No evaluated run has the tag {', '.join(unknown)}. There are: {', '.join(groups)}.")
    groups = {tag: groups[tag] for tag in tags or about_graders}
    query_ids = sorted({query for side in sides for query in side.query_ids})
    counts = bootstrap_counts(len(query_ids), draws, seed)
    names, measures = method_titles(choices), {str(choice.measure) for choice in choices}
    rows: list[dict[str, object]] = []
    for place, (tag, runs) in enumerate(groups.items()):
        displaced = [_displacement(side, runs, query_ids, counts, seed) for side in sides]
        sizes = [_sizes(side, runs) for side in sides]
        rows += [_row(tag, name, size, [moved]) for name, size, moved in zip(names, sizes, displaced, strict=True)]
        if len(displaced) > 1:
            size = {name: min(numbers[name] for numbers in sizes) for name in sizes[0]}
            rows.append(_row(tag, ALL, size, displaced, of_scores=len(measures) == 1))
        progress((place + 1) / len(groups))
    unread = [note for choice in choices for note in scope_of(snapshot, choice).about_unreadable()]
    notes = list(dict.fromkeys([*unread, *_notes(sides, groups, len(query_ids), mixed=len(measures) > 1)]))
    return Circularity(references[0].name, groups, ROWS.of(pd.DataFrame(rows)), draws, seed, notes)


def _displacement(side: Paired, runs: Sequence[str], query_ids: list[str], counts: Ints, seed: int) -> _Displacement:
    group = np.isin(side.run_ids, list(runs))
    values = _on_queries(side.values, side.query_ids, query_ids)
    theirs = side.drawn_along
    fixed = theirs.ndim == 1
    reference = theirs if fixed else _on_queries(theirs, side.query_ids, query_ids)
    mean, theirs = mean_and_stderr(values)[0], reference if fixed else mean_and_stderr(reference)[0]
    if fixed:
        drawn = ranks_beside_list(values, reference, group, len(counts), seed)
    else:
        drawn = rank_displacement(bootstrap_means(values, counts), bootstrap_means(reference, counts), group)
    return _Displacement(
        float(score_displacement(mean, theirs, group)),
        float(rank_displacement(mean, theirs, group)),
        score_by_query(values, reference, group),
        drawn,
        fixed,
    )


def _on_queries(values: Floats, own: Sequence[str], query_ids: Sequence[str]) -> Floats:
    """(n, Q) values at the queries of all methods; NaN where the method has none."""
    return pd.DataFrame(values, columns=list(own)).reindex(columns=list(query_ids)).to_numpy(float)


def _sizes(side: Paired, runs: Sequence[str]) -> dict[str, int]:
    n = sum(run in runs for run in side.run_ids)
    return {"n_tagged": n, "n_others": len(side.run_ids) - n, "queries": len(side.query_ids)}


def _row(
    tag: str, method: str, size: dict[str, int], displaced: Sequence[_Displacement], *, of_scores: bool = True
) -> dict[str, object]:
    unknown = np.nan, np.nan
    low, high = displacement_interval(np.mean([one.pseudo for one in displaced], axis=0)) if of_scores else unknown
    drawn, ends = np.mean([one.drawn for one in displaced], axis=0), unknown
    if size["queries"] >= FEWEST_QUERIES:
        listed = any(one.listed for one in displaced)
        ends = list_interval(drawn) if listed else step_interval(drawn, expanded(size["queries"]))
    return {
        "tag": tag,
        "method": method,
        **size,
        "score_displacement": np.mean([one.score for one in displaced]) if of_scores else np.nan,
        "score_low": low,
        "score_high": high,
        "rank_displacement": np.mean([one.rank for one in displaced]),
        "rank_low": ends[0],
        "rank_high": ends[1],
    }


def _notes(sides: Sequence[Paired], groups: dict[str, list[str]], queries: int, *, mixed: bool) -> list[str]:
    notes = [NOT_A_PROOF]
    for tag, runs in groups.items():
        few = min(_sizes(side, runs)["n_others"] for side in sides)
        if few < FEWEST_OTHERS:
            notes.append(
                f"{tag}: {few} runs are without it, and a line needs {FEWEST_OTHERS}: nothing to compare with."
            )
            continue
        outside = max(_count_outside(side, runs) for side in sides)
        if outside:
            verb = "stands" if outside == 1 else "stand"
            notes.append(
                f"{tag}: {outside} of its runs {verb} above or below all others in the reference; there the line is "
                "extrapolated, and the displacement of scores assumes that it is straight."
            )
    if mixed:
        notes.append("The methods have several measures: the mean of their displacements is given in ranks alone.")
    if queries < FEWEST_QUERIES:
        notes.append(f"There are fewer than {FEWEST_QUERIES} queries: no interval.")
    if any(side.reference_values is None for side in sides):
        notes.append("The reference has no values by query: it stays the same when queries are left out.")
    return notes


def _count_outside(side: Paired, runs: Sequence[str]) -> int:
    group = np.isin(side.run_ids, list(runs))
    others = side.order[~group]
    return int(((side.order[group] > others.max()) | (side.order[group] < others.min())).sum())


FEWEST = 5
"""Fewer clusters have no interval."""


class Share(NamedTuple):
    """Shares with the ends of their intervals, (...) each; NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


def clustered_share(shares: Floats) -> Share:
    """The mean of the clusters' shares, with Wilson's 95% interval for as many things as the clusters are worth.

    They are worth n = p (1 - p) / v, with v the variance of the mean between clusters. The quantile is Student's, with
    the degrees of freedom that v itself has: where few clusters hold most of what happened, there are few. Where all
    clusters have the same share, and so v = 0, each is worth one thing. `shares`: (..., C) one for each cluster, in [0,
    1]. Fewer than `FEWEST` clusters have no interval.

    Source: Wilson 1927; Korn & Graubard 1998 (what clusters are worth); Satterthwaite 1946 (degrees of freedom).

    >>> found = clustered_share(np.array([0.0, 0.2, 0.4, 0.2, 0.2]))
    >>> print(found.value.round(2), found.low.round(2), found.high.round(2))
    0.2 0.08 0.42
    """
    value = _mean(shares)
    if shares.shape[-1] < FEWEST:
        return _unknown(value)
    return Share(value, *wilson(value, *_worth(shares, value * (1 - value))))


def clustered_difference(first: Floats, second: Floats) -> Share:
    """How far two shares of the same things are apart, first minus second; of no thing both are true.

    Tango's 95% score interval for as many things as the clusters are worth: n = (p + q - (p - q)^2) / v, with v the
    variance of the mean difference between clusters; the quantile is that of `clustered_share`. So a share that is 0 in
    all clusters is as sure as the other one lets it be. `first`, `second`: (..., C) p and q of each cluster, in [0, 1];
    together at most 1. Fewer than `FEWEST` clusters have no interval.

    Source: Tango 1998; Korn & Graubard 1998 (what clusters are worth); Satterthwaite 1946 (degrees of freedom).

    >>> found = clustered_difference(np.array([0.2, 0.2, 0.4, 0.2, 0.0]), np.array([0.0, 0.1, 0.0, 0.0, 0.0]))
    >>> print(found.value.round(2), found.low.round(2), found.high.round(2))
    0.18 -0.03 0.4
    """
    values, other = _mean(first), _mean(second)
    apart = values - other
    if first.shape[-1] < FEWEST:
        return _unknown(apart)
    return Share(apart, *tango(values, other, *_worth(first - second, values + other - apart**2)))


def _mean(shares: Floats) -> Floats:
    return np.asarray(shares.mean(axis=-1) if shares.shape[-1] else np.full(shares.shape[:-1], np.nan))


def _unknown(value: Floats) -> Share:
    return Share(value, np.full_like(value, np.nan), np.full_like(value, np.nan))


def _worth(values: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """How many things clusters (..., C) are worth, a single thing having this variance, and Student's quantile."""
    from scipy.special import stdtrit  # not at the top: scipy takes long to load

    clusters = values.shape[-1]
    squares = (values - values.mean(axis=-1, keepdims=True)) ** 2
    spread = squares.sum(axis=-1)
    fourth = (squares**2).sum(axis=-1)
    unequal = fourth - spread**2 / clusters
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(unequal > 1e-12 * fourth, 2 * spread**2 / unequal, clusters - 1)
        worth = np.where(spread > 1e-12, variance * clusters * (clusters - 1) / spread, clusters)
    return worth, stdtrit(np.clip(freedom, 1, clusters - 1), (1 + LEVEL) / 2)


ROW, SPREAD, BESIDES = 26, 0.6, 130
"""Height of a method and tag in pixels, the share of a method's lines that its tags take, and what stands around."""


def circularity_figure(rows: pd.DataFrame, reference: str) -> go.Figure:
    """Displacement of scores, a line for each method and a symbol for each tag, with 95% intervals.

    `rows` have tag, method, score_displacement, score_low, score_high; what is undefined is left out.
    """
    rows = rows.dropna(subset=["score_displacement"])
    methods, tags = list(dict.fromkeys(rows["method"])), list(dict.fromkeys(rows["tag"]))
    figure = go.Figure()
    for place, tag in enumerate(tags):
        mine = rows[rows["tag"] == tag]
        moved, high, low = (mine[f"score_{name}"] for name in ("displacement", "high", "low"))
        shift = offset_in_line(place, len(tags), SPREAD)
        figure.add_scatter(
            x=moved,
            y=[methods.index(method) + shift for method in mine["method"]],
            error_x=bars(moved, low, high, width=4),
            name=escape_name(tag),
            mode="markers",
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9, "color": colour(place)},
            customdata=[[escape_name(method), a, b] for method, a, b in zip(mine["method"], low, high, strict=True)],
            hovertemplate="%{customdata[0]}<br>%{x:+.3f} (%{customdata[1]:+.3f} to %{customdata[2]:+.3f})"
            f"<extra>{escape_name(tag)}</extra>",
        )
    figure.add_vline(0, line={"width": 1, "color": "gray"})
    figure.update_layout(
        size_layout(BESIDES + max(40, ROW * len(tags)) * len(methods), above=1.0),
        xaxis=axis(in_lines(f"score above what {escape_name(reference)} expects")),
        yaxis=one_a_line([in_lines(escape_name(name)) for name in methods]),
        showlegend=True,
    )
    return with_description(figure, circularity_alternative(rows, reference))


def circularity_alternative(rows: pd.DataFrame, reference: str) -> str:
    """The chart in words."""
    known = rows.dropna(subset=["score_displacement"])
    sentences = [f"{row.tag} by {row.method} {row.score_displacement:+.3f}" for row in known.itertuples()]
    return f"Displacement of scores of tagged runs against {reference}: {'; '.join(sentences) or 'undefined'}."
