"""Whether a grader tells apart the runs that the judgments tell apart: paired tests on both sides, and the chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import title
from exam_core.analysis.references import Paired, about_left_out, needed_reference, no_values, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.uncertainty import ALPHA, DRAWING, TESTS, about_draws, values_of_runs
from exam_core.charts.chart_layout import legend, size_layout, with_description
from exam_core.defaults import BEST_RUNS, DRAWS, SEED
from exam_core.errors import UsageError
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.means import mean_and_stderr
from exam_core.numbers.rank_correlations import DIGITS, rank_correlation
from exam_core.numbers.significance_tests import holm
from exam_core.request import PairTest
from exam_core.results import ResultTable, count, decimal, signed, text
from exam_core.store import Snapshot

_MOFFAT = "Moffat, Scholer & Thomas 2012"
ROWS = ResultTable(
    "fidelity: rows",
    "Pairs of runs that differ significantly by each side, with and without Holm's adjustment over all pairs",
    text("adjustment", "Adjustment", "Adjustment of each side's p values for the number of pairs.", source="Holm 1979"),
    count("pairs", "Pairs", "Pairs of runs.", "pairs"),
    count("reference", "Reference", "Pairs that differ significantly by the reference: p below 0.05.", "pairs"),
    count("board", "Grader", "Pairs that differ significantly by the grader: p below 0.05.", "pairs"),
    count("both", "Both", "Significant by both, in the same order.", "pairs", _MOFFAT),
    count("opposite", "Opposite", "Significant by both, in opposite orders.", "pairs", _MOFFAT),
    count("reference_only", "Reference alone", "Significant by the reference alone.", "pairs", _MOFFAT),
    count("board_only", "Grader alone", "Significant by the grader alone.", "pairs", _MOFFAT),
    count("neither", "Neither", "Significant by neither.", "pairs", _MOFFAT),
    decimal(
        "found", "Found", "Share of the pairs significant by the reference that are in both.", "share of the pairs"
    ),
    decimal(
        "confirmed", "Confirmed", "Share of the pairs significant by the grader that are in both.", "share of the pairs"
    ),
)
VERDICTS = ("opposite", "board_only", "reference_only", "both", "neither")
"""What can be said of a pair, what asks for a look first."""
PAIRS = ResultTable(
    "fidelity: pairs",
    "Every pair of runs with what both sides say of it after Holm's adjustment; disagreements first",
    text("run_a", "Better run", "The run that is better by the reference.", pinned=True),
    text("run_b", "Other run"),
    text("verdict", "Significant by"),
    signed("reference_difference", "Reference difference", "Mean over the queries of the better run minus the other."),
    signed(
        "difference",
        "Grader's difference",
        "This difference by the grader; negative if the grader orders the runs the other way.",
    ),
    decimal("reference_p_holm", "Reference's Holm p", "p after Holm's adjustment for all pairs.", source="Holm 1979"),
    decimal("p_holm", "Grader's Holm p", "p after Holm's adjustment for all pairs.", source="Holm 1979"),
)


@dataclass(frozen=True)
class Fidelity:
    """What a board tells of the differences between runs that a reference tells: `rows` are `ROWS`, `pairs` `PAIRS`.

    `kendall` is Kendall's tau-b of the two sides' means over the n runs that both have, and `kendall_top` that over the
    best `top` of them by the reference.
    """

    title: str
    reference: str
    test: PairTest
    draws: int
    seed: int
    n: int
    queries: int
    kendall: float
    top: int
    kendall_top: float
    rows: pd.DataFrame
    pairs: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def fidelity(
    snapshot: Snapshot,
    choice: Evaluation,
    *,
    test: PairTest = "t",
    draws: int = DRAWS,
    seed: int = SEED,
    top: int = BEST_RUNS,
) -> Fidelity:
    """Tests of all pairs of runs by a board and by its reference, over the queries that both have.

    Raises UsageError where there is nothing to evaluate, or the reference has no values by query. `choice`: with a
    reference that has values by query, such as `qrels:P@20`.

    Source: after Moffat, Scholer & Thomas 2012, Models and Metrics: IR Evaluation as a User Process; Holm 1979.
    """
    values = values_of_runs(snapshot, choice)
    other = needed_reference(snapshot, choice.reference, choice)
    both = pair_with(values, other)
    if both.reference_values is None:
        raise UsageError(no_values(other.name))
    shared = ~np.isnan(both.values).all(axis=0) & ~np.isnan(both.reference_values).all(axis=0)
    ours, theirs = both.values[:, shared], both.reference_values[:, shared]
    run = TESTS[test]
    p, reference_p = run(ours, draws, seed), run(theirs, draws, seed)
    mean, reference_mean = (mean_and_stderr(side)[0] for side in (ours, theirs))
    adjusted = holm(p), holm(reference_p)
    rows = [
        _row(name, _verdicts(ours_p, theirs_p, mean, reference_mean))
        for name, (ours_p, theirs_p) in {"Holm": adjusted, "none": (p, reference_p)}.items()
    ]
    best = np.argsort(-np.round(reference_mean, DIGITS), kind="stable")[:top]
    return Fidelity(
        title(choice),
        other.name,
        test,
        draws,
        seed,
        len(both.run_ids),
        int(shared.sum()),
        rank_correlation(mean, reference_mean).kendall,
        len(best),
        rank_correlation(mean[best], reference_mean[best]).kendall,
        ROWS.of(pd.DataFrame(rows)),
        _pairs(both, (mean, reference_mean), adjusted),
        _notes(snapshot, choice, both, int(shared.sum()), test=test, draws=draws, runs=values.averaged),
    )


def _verdicts(p: Floats, reference_p: Floats, mean: Floats, reference_mean: Floats) -> npt.NDArray[np.str_]:
    """(pairs,) of `VERDICTS`, in the order of np.triu_indices."""
    first, second = np.triu_indices(len(mean), 1)
    ours, theirs = p[first, second] < ALPHA, reference_p[first, second] < ALPHA
    same = _sign(mean, first, second) == _sign(reference_mean, first, second)
    cases = [ours & theirs & same, ours & theirs, theirs, ours]
    return np.select(cases, ["both", "opposite", "reference_only", "board_only"], "neither")


def _sign(mean: Floats, first: Ints, second: Ints) -> Floats:
    return np.sign(np.round(mean[first] - mean[second], DIGITS))


def _row(name: str, verdicts: npt.NDArray[np.str_]) -> dict[str, object]:
    counts = {verdict: int((verdicts == verdict).sum()) for verdict in VERDICTS}
    active = counts["both"] + counts["opposite"]
    reference, board = active + counts["reference_only"], active + counts["board_only"]
    return {
        "adjustment": name,
        "pairs": len(verdicts),
        "reference": reference,
        "board": board,
        **counts,
        "found": counts["both"] / reference if reference else np.nan,
        "confirmed": counts["both"] / board if board else np.nan,
    }


def _pairs(both: Paired, means: tuple[Floats, Floats], adjusted: tuple[Floats, Floats]) -> pd.DataFrame:
    (mean, reference_mean), (p, reference_p) = means, adjusted
    first, second = np.triu_indices(len(mean), 1)
    swap = _sign(reference_mean, first, second) < 0
    better, other = np.where(swap, second, first), np.where(swap, first, second)
    names = np.array(both.run_ids, object)
    frame = PAIRS.of(
        {
            "run_a": names[better],
            "run_b": names[other],
            "verdict": _verdicts(p, reference_p, mean, reference_mean),
            "reference_difference": np.round(reference_mean[better] - reference_mean[other], DIGITS),
            "difference": np.round(mean[better] - mean[other], DIGITS),
            "reference_p_holm": reference_p[better, other],
            "p_holm": p[better, other],
        }
    )
    place = frame["verdict"].map({verdict: place for place, verdict in enumerate(VERDICTS)})
    order = frame.assign(place=place).sort_values(
        ["place", "reference_difference", "run_a", "run_b"], ascending=[True, False, True, True]
    )
    return PAIRS.of(order.reset_index(drop=True))


def _notes(
    snapshot: Snapshot, choice: Evaluation, both: Paired, queries: int, *, test: PairTest, draws: int, runs: int
) -> list[str]:
    notes = about_left_out(runs - len(both.run_ids), runs, both.reference.name)
    if queries < len(both.query_ids):
        notes.append(f"Tests are over the {queries} of {len(both.query_ids)} queries that both sides have.")
    if queries < 2:
        notes.append("There are fewer than two queries: nothing can be tested.")
    if test in DRAWING:
        n = len(both.run_ids)
        notes += about_draws(draws, n * (n - 1) // 2)
    return [
        *scope_of(snapshot, choice).about_unreadable(),
        *about_scales(snapshot, choice),
        *notes,
        *both.reference.notes,
        *scope_of(snapshot, choice).about_unanswered(both.run_ids),
    ]


DRAWN = "rgba(0, 0, 0, 0.3)"
PARTS = {
    "both": ("#6baed6", ""),
    "reference_only": ("#e6c34d", "/"),
    "board_only": ("#f0a35e", "."),
    "opposite": ("#d99bc0", "x"),
    "neither": ("#c8c8c8", ""),
}
"""Colour and pattern of each part of a bar, from the left; light, so that dark numbers can be read by day and night."""


def fidelity_figure(rows: pd.DataFrame, words: Mapping[str, str]) -> go.Figure:
    """A bar for each adjustment: how many pairs of runs differ significantly by which side.

    `rows` have adjustment and a column for each of `PARTS`.
    """
    figure = go.Figure()
    for name, (ink, pattern) in PARTS.items():
        figure.add_bar(
            x=rows[name],
            y=[_bar(adjustment) for adjustment in rows["adjustment"]],
            orientation="h",
            name=words[name],
            text=[f"{n:,}" if n else "" for n in rows[name]],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            insidetextfont={"color": "#1a1a1a"},
            marker={
                "color": ink,
                "pattern": {"shape": pattern, "fillmode": "overlay", "fgcolor": DRAWN, "solidity": 0.15},
            },
            hovertemplate=f"%{{y}}<br>{words[name]}: %{{x:,}} pairs<extra></extra>",
        )
    figure.update_layout(
        size_layout(320, top=60),
        barmode="stack",
        bargap=0.35,
        xaxis={"title": "pairs of runs", "automargin": True},
        yaxis={"automargin": True, "autorange": "reversed"},
        legend=legend(traceorder="normal"),
    )
    return with_description(figure, fidelity_alternative(rows, words))


def fidelity_alternative(rows: pd.DataFrame, words: Mapping[str, str]) -> str:
    """The chart in words."""
    sentences = [
        f"{_bar(row['adjustment'])}: {', '.join(f'{row[name]:,} {words[name]}' for name in PARTS)}"
        for row in rows.to_dict("records")
    ]
    return f"Pairs of runs that differ significantly, by side. {'; '.join(sentences)}."


def _bar(adjustment: str) -> str:
    return "unadjusted" if adjustment == "none" else adjustment
