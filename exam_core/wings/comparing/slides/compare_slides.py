"""The slide of Compare: two leaderboards, two runs, all pairs of runs, or a leaderboard without some questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from exam_core.aliases import in_words
from exam_core.analysis.bank.other_labels import ROWS as CHANGED
from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.uncertainty.telling_apart import ALPHA
from exam_core.asked import Asked
from exam_core.charts.query_differences import differences_figure
from exam_core.errors import UsageError
from exam_core.numbers.rank_correlations import NAMES
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.comparing.analysis import run_pair as pairs_of
from exam_core.wings.comparing.analysis.of_figures import columns_beside, runs_beside
from exam_core.wings.comparing.analysis.run_differences import (
    BASELINE,
    PAIRS,
    AgainstBaseline,
    EveryPair,
    against,
    every_pair,
)
from exam_core.wings.comparing.analysis.run_pair import run_pair
from exam_core.wings.comparing.analysis.versus import ROWS as SIDE_BY_SIDE
from exam_core.wings.comparing.analysis.versus import Versus, versus
from exam_core.wings.comparing.analysis.whatif import WhatIf, whatif
from exam_core.wings.comparing.charts import side_by_side as charts
from exam_core.wings.comparing.charts.wins import wins_figure
from exam_core.wings.comparing.reports import compared_sides
from exam_core.wording import counted

OF_SIDE = {
    "bank": "bank",
    "grader": "mode",
    "measure": "measure",
    "depth": "depth",
    "tau": "tau",
    "label_rank": "label_rank",
}
"""What a side has of its own, and how the page's address ends that says it."""
ROOM = 8
"""Runs at each end of a leaderboard that a matrix in a room has: more names have no letters of their size."""
COEFFICIENTS = {NAMES[name]: name for name in ("spearman", "kendall", "tau_ap", "tau_ap_b")}
"""Of A with B, as the panel names them."""


def compared(told: Told) -> Slide:
    """What was chosen on the page Compare."""
    name = told.view.own("compare_what", compared_sides.BOARDS)
    if name not in COMPARED:
        raise UsageError(f"Compare has no view {name}. There are: {', '.join(COMPARED)}.")
    return COMPARED[name](told)


def _boards(told: Told) -> Slide:
    found = _versus(told)
    names = names_of(told.figures.snapshot)
    title_a, title_b = (in_words(title, names) for title in (found.title_a, found.title_b))
    rows = told.shown(found.rows)
    known = found.correlation.set_index("coefficient")["value"]
    return Slide(
        takeaway=compared_sides.agreed(found, title_a, title_b),
        figure=charts.ranks_figure(rows, title_a, title_b),
        table=rows.dropna(axis="columns", how="all"),
        of=SIDE_BY_SIDE,
        ticks={label: float(known[name]) for label, name in COEFFICIENTS.items() if not np.isnan(known[name])},
        ticks_of="A and B",
        notes=(*found.notes, *(in_words(caveat, names) for caveat in found.caveats)),
    )


def _versus(told: Told) -> Versus:
    if told.figures.in_print:
        known = told.figures.series()
        first = told.view.own("compare_a_column", told.first)
        other = next((name for name in known if name != told.first), known[0])
        return told.ask(columns_beside, told.figures, first, told.view.own("compare_b_column", other))
    starts = compared_sides.first_sides(told.view.series, told.asked.measure, told.figures.series(told.asked.bank))
    choices = [told.figures.of(_side(told, side, *start)) for side, start in zip("ab", starts, strict=True)]
    return told.ask(versus, told.figures.snapshot, *choices)


def _side(told: Told, side: str, grader: str, measure: str) -> Asked:
    """What is asked of a side: as the address says, else as the page begins."""
    said = {name: told.view.own(f"compare_{side}_{end}") for name, end in OF_SIDE.items()}
    begins = {"grader": grader, "measure": measure}
    return compared_sides.asked_of(told.asked, said | {name: said[name] or value for name, value in begins.items()})


def _runs(told: Told) -> Slide:
    if told.figures.in_print:
        return _printed_runs(told)
    ranked = told.ask(told.figures.standing, told.first, told.asked)["run_id"].tolist()
    found = told.ask(run_pair, told.figures.snapshot, told.choice, *_picked(told, ranked))
    a, b = found.run_a, found.run_b
    return Slide(
        takeaway=compared_sides.apart(found, told.method),
        figure=differences_figure(found.rows, ahead=a, behind=b, interval=(found.difference, found.low, found.high)),
        table=found.rows.dropna(axis="columns", how="all"),
        of=pairs_of.QUERIES,
        ticks={a: found.mean_a, b: found.mean_b, "difference": found.difference},
        notes=(f"A is {a}, B is {b}.", *found.notes),
    )


def _picked(told: Told, runs: list[str]) -> tuple[str, str]:
    if len(runs) < 2:
        raise UsageError("There are fewer than two runs to compare.")
    a, b = (told.view.own(f"compare_run_{side}", runs[place]) for place, side in enumerate("ab"))
    if a == b:
        raise UsageError(compared_sides.SAME_RUN)
    return a, b


def _printed_runs(told: Told) -> Slide:
    figures: Any = told.figures
    a, b = _picked(told, told.ask(figures.runs, told.view.series))
    rows = told.ask(runs_beside, figures, told.view.series, a, b)
    if rows.empty:
        raise UsageError(f"No printed column that is chosen has both {a} and {b}.")
    ahead = int((rows["difference"] > 0).sum())
    return Slide(
        takeaway=f"{a}, A, is above {b}, B, in {ahead} of {len(rows)} printed columns; nothing can be tested.",
        figure=charts.columns_figure(rows, a, b),
        table=rows.dropna(axis="columns", how="all"),
        of=pairs_of.PRINTED,
    )


def pairs_of_runs(told: Told) -> Slide:
    """Which pairs of runs differ significantly; the matrix has as many runs as a room can read."""
    told.refuse_print(compared_sides.NOTHING_BY_QUERY)
    found = told.ask(every_pair, told.figures.snapshot, told.choice)
    if found.pairs.empty:
        raise UsageError("There are fewer than two runs to compare.")
    baseline = told.view.own("compare_baseline")
    pairs = told.shown(found.pairs, "run_a", "run_b")
    beside = told.ask(against, told.figures.snapshot, told.choice, baseline) if baseline else None
    said = _told_from(beside) if beside else _told_apart(found)
    runs = list(dict.fromkeys([*pairs["run_a"], *pairs["run_b"]]))
    seen = {*runs, baseline} if len(runs) <= 2 * ROOM else {*runs[:ROOM], *runs[-ROOM:], baseline}
    drawn = pairs[pairs["run_a"].isin(seen) & pairs["run_b"].isin(seen)]
    shown = f" Shown: the first {ROOM} and the last {ROOM} runs." if len(runs) > 2 * ROOM else ""
    return Slide(
        takeaway=f"By {told.method}, {said} (paired t-test over the queries, p < {ALPHA} after Holm).{shown}",
        figure=wins_figure(drawn, baseline or None),
        table=told.shown(beside.rows) if beside else pairs,
        of=BASELINE if beside else PAIRS,
        notes=tuple(found.notes),
    )


def _told_apart(found: EveryPair) -> str:
    runs = {*found.pairs["run_a"], *found.pairs["run_b"]}
    differ = int(found.pairs["separable"].sum())
    return (
        f"{differ or 'none'} of {counted({'pairs': len(found.pairs)})} of {counted({'runs': len(runs)})} "
        f"differ significantly"
    )


def _told_from(beside: AgainstBaseline) -> str:
    """How many runs are better than the baseline, and how many worse."""
    apart = beside.rows.loc[beside.rows["separable"], "difference"]
    better, worse = int((apart > 0).sum()), int((apart < 0).sum())
    return (
        f"{better or 'none'} of {counted({'runs': len(beside.rows)})} are significantly better than "
        f"{beside.baseline}, {worse} worse"
    )


def _without_questions(told: Told) -> Slide:
    told.refuse_print(compared_sides.NOTHING_BY_QUERY)
    drop = frozenset(told.view.address.get("whatif_off", ()))
    if not drop:
        raise UsageError("No question is switched off: choose some on the page Compare.")
    found = told.ask(whatif, told.figures.snapshot, told.choice, drop=drop)
    rows = told.shown(compared_sides.before_and_after(found))
    return Slide(
        takeaway=_what_moved(found),
        figure=charts.ranks_figure(rows, compared_sides.AS_IS, compared_sides.WITHOUT),
        table=told.shown(found.rows).dropna(axis="columns", how="all"),
        of=CHANGED,
        ticks=_with_reference(found),
        notes=(f"A: the leaderboard {compared_sides.AS_IS}. B: {compared_sides.WITHOUT}.", *found.notes),
    )


def _what_moved(found: WhatIf) -> str:
    off = found.enabled_before - found.enabled_after
    moved = int((found.rows["rank_change"].abs() > 0).sum())
    crossing = int(found.relabelled["crosses_tau"].sum())
    return (
        f"Without {off:,} of {counted({'questions': found.enabled_before})} (B), {moved} of "
        f"{counted({'runs': len(found.rows)})} change "
        f"rank, and {counted({'passages cross': crossing})} tau."
    )


def _with_reference(found: WhatIf) -> dict[str, float]:
    both = {"Kendall, with them": found.before, "Kendall, without them": found.after}
    return {said: one.correlation.kendall for said, one in both.items() if one}


COMPARED: dict[str, Callable[[Told], Slide]] = dict(
    zip(compared_sides.WHAT, (_boards, _runs, pairs_of_runs, _without_questions), strict=True)
)
"""By what the page calls it."""


ROWS = (PageSlide("Compare", compared, 20),)
