"""Slides and parts of the report: two leaderboards, two runs, pairs of runs, other questions, resampled ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from exam_core.aliases import in_words, with_aliases
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import LABELS
from exam_core.analysis.other_labels import ROWS as CHANGED
from exam_core.analysis.uncertainty import ALPHA
from exam_core.asked import Asked
from exam_core.charts.chart_layout import described, words_of
from exam_core.charts.query_differences import differences_figure
from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError, UsageError
from exam_core.numbers.rank_correlations import NAMES
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.comparing import residuals, stability_charts, two_boards
from exam_core.wings.comparing import run_pairs as pairs_of
from exam_core.wings.comparing import stability as redrawn
from exam_core.wings.comparing.cutoff_charts import cutoffs_figure, tau_strips
from exam_core.wings.comparing.cutoffs import SERIES_CUTOFFS, Cutoffs, advice_in_full, cutoffs_table
from exam_core.wings.comparing.of_figures import ITSELF, columns_beside, cutoffs_of, residuals_of, runs_beside, swaps_of
from exam_core.wings.comparing.run_pairs import (
    BASELINE,
    PAIRS,
    AgainstBaseline,
    EveryPair,
    against,
    every_pair,
    run_pair,
    wins_figure,
)
from exam_core.wings.comparing.stability import (
    BOTH,
    LEFT_OUT,
    RANKS,
    SIZE_ROWS,
    LeaveOneOut,
    SizeCurve,
    first_and_width,
    questions_left_out,
    size_curve,
    stability,
)
from exam_core.wings.comparing.swaps import SWAPPED
from exam_core.wings.comparing.two_boards import ROWS as SIDE_BY_SIDE
from exam_core.wings.comparing.two_boards import Versus, versus
from exam_core.wings.comparing.whatif import WhatIf, whatif
from exam_core.wording import RELIABILITY, counted, number, reference_in_words

OF_SIDE = {
    "bank": "bank",
    "grader": "mode",
    "measure": "measure",
    "depth": "depth",
    "tau": "tau",
    "label_rank": "label_rank",
}
"""What a side has of its own, and how the page's address ends that says it."""
AS_IT_IS = "the leaderboard as it is"
"""With what resamplings are compared, beside the reference."""
ROOM = 8
"""Runs at each end of a leaderboard that a matrix in a room has: more names have no letters of their size."""
COEFFICIENTS = {NAMES[name]: name for name in ("spearman", "kendall", "tau_ap", "tau_ap_b")}
"""Of A with B, as the panel names them."""


def compared(told: Told) -> Slide:
    """What was chosen on the page Compare."""
    name = told.view.own("compare_what", two_boards.BOARDS)
    if name not in COMPARED:
        raise UsageError(f"Compare has no view {name}. There are: {', '.join(COMPARED)}.")
    return COMPARED[name](told)


def _boards(told: Told) -> Slide:
    found, choices = _versus(told)
    names = told.names
    title_a, title_b = (told.titled(title, *choices) for title in (found.title_a, found.title_b))
    rows = told.shown(found.rows)
    known = found.correlation.set_index("coefficient")["value"]
    return Slide(
        takeaway=two_boards.agreed(found, title_a, title_b),
        figure=two_boards.ranks_figure(rows, title_a, title_b),
        table=rows.dropna(axis="columns", how="all"),
        of=SIDE_BY_SIDE,
        ticks={label: float(known[name]) for label, name in COEFFICIENTS.items() if not np.isnan(known[name])},
        ticks_of="A and B",
        notes=(*found.notes, *(in_words(caveat, names) for caveat in found.caveats)),
    )


def _versus(told: Told) -> tuple[Versus, list[Evaluation]]:
    if told.figures.in_print:
        known = told.figures.series()
        first = told.view.own("compare_a_column", told.first)
        other = next((name for name in known if name != told.first), known[0])
        return told.ask(columns_beside, told.figures, first, told.view.own("compare_b_column", other)), []
    starts = two_boards.first_sides(told.view.series, told.asked.measure, told.figures.series(told.asked.bank))
    sides = [told.figures.of(_side(told, side, *start)) for side, start in zip("ab", starts, strict=True)]
    choices = [side for side in sides if side]
    return told.ask(versus, told.figures.snapshot, *choices), choices


def _side(told: Told, side: str, grader: str, measure: str) -> Asked:
    """What is asked of a side: as the address says, else as the page begins."""
    said = {name: told.view.own(f"compare_{side}_{end}") for name, end in OF_SIDE.items()}
    begins = {"grader": grader, "measure": measure}
    return two_boards.asked_of(told.asked, said | {name: said[name] or value for name, value in begins.items()})


def _runs(told: Told) -> Slide:
    if told.figures.in_print:
        return _printed_runs(told)
    ranked = told.ask(told.figures.standing, told.first, told.asked)["run_id"].tolist()
    found = told.ask(run_pair, told.figures.snapshot, told.choice, *_picked(told, ranked))
    a, b = found.run_a, found.run_b
    return Slide(
        takeaway=two_boards.apart(found, told.method),
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
        raise UsageError(two_boards.SAME_RUN)
    return a, b


def _printed_runs(told: Told) -> Slide:
    figures: Any = told.figures
    a, b = _picked(told, told.ask(figures.runs, told.view.series))
    rows = with_aliases(told.ask(runs_beside, figures, told.view.series, a, b), told.names)
    if rows.empty:
        raise UsageError(f"No printed column that is chosen has both {a} and {b}.")
    ahead = int((rows["difference"] > 0).sum())
    return Slide(
        takeaway=f"{a}, A, is above {b}, B, in {ahead} of {len(rows)} printed columns; nothing can be tested.",
        figure=two_boards.columns_figure(rows, a, b),
        table=rows.dropna(axis="columns", how="all"),
        of=pairs_of.PRINTED,
    )


def pairs_of_runs(told: Told) -> Slide:
    """Which pairs of runs differ significantly; the matrix has as many runs as a room can read."""
    told.refuse_print(two_boards.NOTHING_BY_QUERY)
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
    told.refuse_print(two_boards.NOTHING_BY_QUERY)
    drop = frozenset(told.view.address.get("whatif_off", ()))
    if not drop:
        raise UsageError("No question is switched off: choose some on the page Compare.")
    found = told.ask(whatif, told.figures.snapshot, told.choice, drop=drop)
    rows = told.shown(two_boards.before_and_after(found))
    return Slide(
        takeaway=_what_moved(found),
        figure=two_boards.ranks_figure(rows, two_boards.AS_IS, two_boards.WITHOUT),
        table=told.shown(found.rows).dropna(axis="columns", how="all"),
        of=CHANGED,
        ticks=_with_reference(found),
        notes=(f"A: the leaderboard {two_boards.AS_IS}. B: {two_boards.WITHOUT}.", *found.notes),
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
    zip(two_boards.WHAT, (_boards, _runs, pairs_of_runs, _without_questions), strict=True)
)
"""By what the page calls it."""


SLIDES = (PageSlide("Compare", compared, 20),)


def _every_tau(asking: Asking) -> Part | None:
    if not asking.of_grades:
        return None
    found: dict[str, Cutoffs] = {}
    missing = []
    for name in asking.series:
        try:
            one = asking.ask(cutoffs_of, asking.figures, asking.asked, Sampling(), series=name)
            found[asking.called(name)] = one
        except ExamboardError as error:
            missing.append(f"{name}: {error}")
    if not found:
        return Part("Every tau", missing=missing)
    rows = {name: one.rows for name, one in found.items()}
    told = [f"{name}: {' '.join(said)}" for name, one in found.items() if (said := advice_in_full(one, None))]
    draw = tau_strips if len(rows) >= MANY else cutoffs_figure
    charts = {"cutoffs": draw(rows, coefficient="kendall", measured=next(iter(found.values())).measure)}
    table = ReportTable(cutoffs_table(found), SERIES_CUTOFFS, "Taus side by side")
    notes = [note for one in found.values() for note in one.notes]
    return Part("Every tau", told, charts, [table], notes, missing, is_early=True)


def _run_by_run(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    found = asking.ask(residuals_of, asking.figures, asking.series[0], asking.asked)
    reference = asking.reference(found.reference)
    axes = {"x": f"{'rank in ' if found.of_ranks else ''}{reference}", "y": asking.titled(found.title, asking.choice())}
    figure = residuals.scatter_figure(found.rows, **axes, of_ranks=found.of_ranks, identity=found.identity)
    return Part(f"Run by run against {reference}", [], {"correlation": figure}, [], found.notes)


def _stability(asking: Asking) -> Part | None:
    choice = asking.choice()
    if choice is None:
        return None
    found = asking.ask(redrawn.stability, asking.figures.snapshot, choice, of="queries")
    title = asking.titled(found.title, choice)
    charts = {"ranks": stability_charts.ranks_figure(found.rows, title)}
    rows = found.correlation.assign(
        coefficient=found.correlation["coefficient"].map(LABELS),
        against=[AS_IT_IS if one == ITSELF else asking.reference(one) for one in found.correlation["against"]],
    )
    table = ReportTable(rows, redrawn.CORRELATION, f"Rank correlations over {found.draws:,} resamplings of the queries")
    said = f"{title}: the ranks over {found.draws:,} resamplings of the queries, seed {found.seed}."
    return Part("Stability of the ranks", [said], charts, [table], found.notes)


def _swaps_part(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    found = asking.ask(swaps_of, asking.figures, asking.asked, asking.series[0])
    title, reference = asking.titled(found.title, asking.choice()), asking.reference(found.reference)
    scores_of = reference if found.differences_of == "reference" else title
    figure = stability_charts.swaps_figure(found.rows, scores_of)
    return Part("Rank swaps", [f"{title} against {reference}. {words_of(figure)}"], {"swaps": figure})


def _beside(asking: Asking) -> Part | None:
    if len(asking.series) > 1 and (printed := asking.figures.in_print):
        choices = []
        found = asking.ask(columns_beside, printed, asking.series[0], asking.series[-1])
    elif len(asking.series) > 1 and asking.of_grades:
        choices = [asking.choice(), asking.choice(-1)]
        found = asking.ask(two_boards.versus, asking.figures.snapshot, *choices)
    else:
        return None
    a, b = (asking.titled(title, *choices) for title in (found.title_a, found.title_b))
    charts = {"compare": two_boards.ranks_figure(found.rows, a, b)}
    rows = found.correlation.assign(coefficient=found.correlation["coefficient"].map(LABELS))
    tables = [
        ReportTable(rows, two_boards.CORRELATION, f"How well A and B agree, {found.n} runs"),
        ReportTable(found.pairs, two_boards.PAIRS, "Pairs of runs by their order"),
    ]
    return Part("Two leaderboards", [f"A: {a}. B: {b}."], charts, tables, found.caveats)


PARTS = (
    PagePart("Every tau", _every_tau, 0),
    PagePart("Run by run", _run_by_run, 10),
    PagePart("Stability of the ranks", _stability, 20),
    PagePart("Rank swaps", _swaps_part, 30),
    PagePart("Two leaderboards", _beside, 50),
)


def of_stability(told: Told) -> Slide:
    """The analysis whose tab was open, else the ranks; of print, the swapped pairs."""
    return STABILITY.get(SWAPS if told.figures.in_print else told.view.own("stability_view"), _ranks)(told)


def _ranks(told: Told) -> Slide:
    of = told.view.own("stability_of", "queries")
    found = told.ask(stability, told.figures.snapshot, told.choice, of=of)
    said, rows = stability_charts.ranks_alternative(found.rows), told.shown(found.rows)
    figure, ranks = described(stability_charts.ranks_figure(rows), said), RANKS.changed(mean={"label": told.heading})
    return told.slide(_leads(found.rows, of, told.method) or said, figure, rows, ranks, notes=tuple(found.notes))


def _leads(rows: pd.DataFrame, of: str, method: str) -> str:
    """How often the best run is first, and how wide intervals of ranks are, over resamplings."""
    known = rows[rows["rank"].notna()]
    if known.empty:
        return ""
    return first_and_width(known, f"resamplings of the {BOTH.get(of, of)}", f" by {method}")


def _curve(of: str, told: Told) -> Slide:
    found = told.ask(size_curve, told.figures.snapshot, told.choice, of=of)
    label = told.view.own("stability_coefficient", stability_charts.COEFFICIENTS["kendall"])
    if label not in stability_charts.BY_LABEL:
        raise UsageError(f"There is no coefficient {label}. There are: {', '.join(stability_charts.BY_LABEL)}.")
    name, sizes = (
        stability_charts.BY_LABEL[label],
        SIZE_ROWS.changed(size={"label": stability_charts.SIZES[of].capitalize()}),
    )
    figure = stability_charts.curve_figure(found.rows, of, name)
    said = _with_fewer(found, told.titled(found.title, told.choice), label, name)
    return told.slide(said, figure, found.rows, sizes, notes=tuple(found.notes))


def _with_fewer(found: SizeCurve, title: str, label: str, name: str) -> str:
    """What the smallest and the largest subsets have of a coefficient."""
    rows = found.rows.dropna(subset=[name])
    what = "questions a query" if found.of == "bank-size" else "queries"
    if rows.empty:
        return f"{title} with fewer {what}."
    rows = rows[rows["against"] == rows["against"].iloc[0]].sort_values("size")
    few, many = rows.iloc[0], rows.iloc[-1]
    return (
        f"{label} is {number(few[name])} with {few['size']:g} {what}, and {number(many[name])} with {many['size']:g} "
        f"({title})."
    )


def _one_out(told: Told) -> Slide:
    found = told.ask(questions_left_out, told.figures.snapshot, told.choice)
    by = "kendall_change" if found.reference else "rank_change"
    figure = stability_charts.influence_figure(found.rows, by)
    said = _without_one(found, told.titled(found.title, told.choice), by)
    return told.slide(said, figure, found.rows, LEFT_OUT, notes=tuple(found.notes))


def _without_one(found: LeaveOneOut, title: str, by: str) -> str:
    rows = found.rows
    if rows.empty or rows[by].isna().all():
        return f"{title}: {counted({'questions': len(rows)})}, each left out alone."
    far = rows.loc[rows[by].abs().idxmax()]
    what = f"Kendall with {reference_in_words(found.reference)}" if found.reference else "ranks, on average,"
    return f"Leaving out one of {len(rows):,} questions changes {what} by {abs(far[by]):.3f} at most ({title})."


def _swaps(told: Told) -> Slide:
    found = told.ask(swaps_of, told.figures, told.asked, told.first)
    title, reference = (
        told.titled(found.title, told.figures.of(told.asked.of(told.first))),
        told.reference(found.reference),
    )
    said = (
        f"{title} and {reference} swap {found.swaps:,} of "
        f"{counted({'pairs': found.pairs})} of {counted({'runs': found.n})}."
    )
    figure = stability_charts.swaps_figure(found.rows, reference if found.differences_of == "reference" else title)
    return told.slide(said, figure, found.swapped, SWAPPED, notes=tuple(found.notes))


SWAPS = "Rank swaps"


STABILITY: dict[str, Callable[[Told], Slide]] = {
    "Fewer questions": partial(_curve, "bank-size"),
    "Fewer queries": partial(_curve, "queries"),
    "One question out": _one_out,
    "Pairs of runs": pairs_of_runs,
    SWAPS: _swaps,
}
"""By what the page calls it."""


RELIABILITY_SLIDES = (PageSlide(RELIABILITY, of_stability, 80, former=("Stability", "How sure is the order?")),)
