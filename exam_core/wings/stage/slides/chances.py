"""Slides of what chance leaves open: other taus, other queries, other questions, and the judges."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pandas as pd

from exam_core.analysis.bank.question_texts import questions_left_out
from exam_core.analysis.comparisons.rank_swaps import SWAPPED
from exam_core.analysis.contents.requirements import is_graded
from exam_core.analysis.judges import matrices
from exam_core.analysis.uncertainty import bank_size
from exam_core.analysis.uncertainty.bank_size import SizeCurve, size_curve
from exam_core.analysis.uncertainty.leave_one_out import ROWS as LEFT_OUT
from exam_core.analysis.uncertainty.leave_one_out import LeaveOneOut
from exam_core.analysis.uncertainty.rank_bootstrap import ROWS as RANKS
from exam_core.analysis.uncertainty.rank_bootstrap import stability
from exam_core.asked import Asked
from exam_core.charts import agreement_matrices as cells
from exam_core.charts import rank_stability as charts
from exam_core.charts.chart_layout import described
from exam_core.charts.strips import MANY
from exam_core.charts.tau_curves import cutoffs_figure
from exam_core.defaults import Sampling
from exam_core.errors import UsageError
from exam_core.reports.stability_lines import BOTH
from exam_core.reports.tau_table import SERIES_CUTOFFS, advice, cutoffs_table
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.stage.slides.boards import correlation
from exam_core.wings.stage.slides.compare_slides import pairs_of_runs
from exam_core.wording import METHODS, ORDER, method_in_words, number, reference_in_words


def methods(told: Told) -> Slide:
    """What each tau trades off; where nothing can be cut, runs beside the reference."""
    cut = told.of_grades and is_graded(told.figures.snapshot)
    return (cutoffs if cut else correlation)(told)


def cutoffs(told: Told) -> Slide:
    """What each tau trades off, and which held-out queries recommend."""
    if not told.of_grades:
        raise UsageError("Taus need grades: choose a measure of grades, in a collection that has them.")
    found = {
        name: told.ask(told.figures.cutoffs, told.asked.but(grader=name, tau=None), Sampling())
        for name in told.view.series
        if name in told.comparison.boards
    }
    first = found[told.first] if told.first in found else next(iter(found.values()))
    tau = told.asked.tau or told.choice.tau
    names = told.comparison.names
    called = {names.get(name, name): one for name, one in found.items()}
    rows = {name: one.rows for name, one in called.items()}
    coefficient = told.view.own("cutoffs_coefficient", "Kendall").lower()
    one = names.get(told.first, told.first) if len(rows) >= MANY else None
    figure = cutoffs_figure(rows, coefficient=coefficient, tau=tau, measured=told.heading, highlighted=one)
    said = next(iter(advice(first, tau).values()), f"{told.heading} at every tau.")
    table = cutoffs_table(called).dropna(axis="columns", how="all")
    notes = tuple(dict.fromkeys(note for one in found.values() for note in one.notes))
    return told.slide(said, figure, table, SERIES_CUTOFFS, notes=notes)


def of_stability(told: Told) -> Slide:
    """The analysis whose tab was open, else the ranks; of print, the swapped pairs."""
    printed = told.figures.basis == "print"
    return STABILITY.get(SWAPS if printed else told.view.own("stability_view"), _ranks)(told)


def _ranks(told: Told) -> Slide:
    of = told.view.own("stability_of", "queries")
    found = told.ask(stability, told.figures.snapshot, told.choice, of=of)
    said, rows = charts.ranks_alternative(found.rows), told.shown(found.rows)
    figure, ranks = described(charts.ranks_figure(rows), said), RANKS.changed(mean={"label": told.heading})
    return told.slide(_leads(found.rows, of, told.method) or said, figure, rows, ranks, notes=tuple(found.notes))


def _leads(rows: pd.DataFrame, of: str, method: str) -> str:
    """How often the first run stays first, and how far ranks move over resamplings."""
    known = rows[rows["rank"].notna()]
    if known.empty:
        return ""
    best, width = known.iloc[0], (known["rank_high"] - known["rank_low"]).median()
    return (
        f"Of resamplings of the {BOTH.get(of, of)}, {best['first']:.0%} have {best['run_id']} first by {method}; half "
        f"of the {len(known)} runs move over {width:g} ranks or more in 95% of them."
    )


def _curve(of: str, told: Told) -> Slide:
    found = told.ask(size_curve, told.figures.snapshot, told.choice, of=of)
    label = told.view.own("stability_coefficient", charts.COEFFICIENTS["kendall"])
    if label not in charts.BY_LABEL:
        raise UsageError(f"There is no coefficient {label}. There are: {', '.join(charts.BY_LABEL)}.")
    name, sizes = charts.BY_LABEL[label], bank_size.ROWS.changed(size={"label": charts.SIZES[of].capitalize()})
    figure = charts.curve_figure(found.rows, of, name)
    return told.slide(_with_fewer(found, label, name), figure, found.rows, sizes, notes=tuple(found.notes))


def _with_fewer(found: SizeCurve, label: str, name: str) -> str:
    """What the smallest and the largest subsets have of a coefficient."""
    rows = found.rows.dropna(subset=[name])
    what = "questions a query" if found.of == "bank-size" else "queries"
    if rows.empty:
        return f"{method_in_words(found.title)} with fewer {what}."
    rows = rows[rows["against"] == rows["against"].iloc[0]].sort_values("size")
    few, many = rows.iloc[0], rows.iloc[-1]
    return (
        f"{label} is {number(few[name])} with {few['size']:g} {what}, and {number(many[name])} with {many['size']:g} "
        f"({method_in_words(found.title)})."
    )


def _one_out(told: Told) -> Slide:
    found = told.ask(questions_left_out, told.figures.snapshot, told.choice)
    by = "kendall_change" if found.reference else "rank_change"
    figure = charts.influence_figure(found.rows, by)
    return told.slide(_without_one(found, by), figure, found.rows, LEFT_OUT, notes=tuple(found.notes))


def _without_one(found: LeaveOneOut, by: str) -> str:
    rows, title = found.rows, method_in_words(found.title)
    if rows.empty or rows[by].isna().all():
        return f"{title}: {len(rows):,} questions, each left out alone."
    far = rows.loc[rows[by].abs().idxmax()]
    what = f"Kendall with {reference_in_words(found.reference)}" if found.reference else "ranks, on average,"
    return f"Leaving out one of {len(rows):,} questions changes {what} by {abs(far[by]):.3f} at most ({title})."


def _swaps(told: Told) -> Slide:
    found = told.ask(told.figures.swaps_of, told.first, told.asked)
    said = (
        f"{method_in_words(found.title)} and {reference_in_words(str(found.reference))} swap {found.swaps:,} of "
        f"{found.pairs:,} pairs of {found.n} runs."
    )
    figure = charts.swaps_figure(found.rows, found.reference if found.differences_of == "reference" else found.title)
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


def agreement(told: Told) -> Slide:
    """Labels against human judgments, one by one where there are more than two."""
    cut = next((cut for cut in matrices.NAMED_CUTS if cut.name == told.view.own("agreement_cut")), None)
    at = {"tau": cut.tau, "relevant_from": cut.relevant_from} if cut else {}
    if told.figures.basis == "print":
        bank = told.view.own("agreement_table") or told.figures.banks()[0]
        asked = _printed_cut(told, told.asked.but(bank=bank, **at))
    else:
        asked = told.asked.of(told.first).but(label_map=told.view.own("label_map") or None)
        asked = asked.but(tau=told.choice.tau) if told.of_grades else asked
        asked = asked.but(label_rank=cut.label_rank, **at) if cut else asked
    found = told.ask(told.figures.agreement, asked.but(reference=None))
    graded = matrices.is_graded(found)
    shown = matrices.graded_cells(found) if graded else matrices.binary_cells(found)
    low, high = found.kappa_interval or (math.nan, math.nan)
    ends = f" (95% interval {low:.2f} to {high:.2f})" if found.kappa_interval else ""
    who = told.mode.partition(" (tau")[0] if told.figures.basis == "grades" else "The grader"
    return Slide(
        takeaway=(
            f"{who} and the judges agree with a kappa of {number(found.kappa)}{ends} on {found.n:,} passages: relevant "
            f"is a grade of {found.tau} or more, a judgment of {found.relevant_from} or more."
        ),
        figure=cells.counts_figure(shown, cuts=matrices.above(found) if graded else None),
        table=matrices.with_sums(shown),
        of=matrices.sums_of(shown),
        ticks={"kappa": found.kappa, "precision": found.precision, "recall": found.recall, "F1": found.f1},
        notes=(*found.notes, *found.scale_notes),
    )


def _printed_cut(told: Told, asked: Asked) -> Asked:
    """The printed cut that is nearest to the one that is asked for."""
    rows = told.ask(told.figures.agreement_grid, asked).rows
    if rows.empty:
        return asked
    tau, relevant_from = matrices.nearest_cut(rows, asked.tau or 0, asked.relevant_from)
    return asked.but(tau=tau, relevant_from=relevant_from)


ROWS = (
    PageSlide(METHODS, methods, 60, former=("Cutoffs",)),
    PageSlide(ORDER, of_stability, 80, former=("Stability",)),
    PageSlide("Agreement", agreement, 110, takes=is_graded),
)
