"""Slides of how sure the order is: other queries, other questions, and pairs of runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from exam_core.charts.chart_layout import described
from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.comparing.analysis import bank_size
from exam_core.wings.comparing.analysis.bank_size import SizeCurve, size_curve
from exam_core.wings.comparing.analysis.leave_one_out import ROWS as LEFT_OUT
from exam_core.wings.comparing.analysis.leave_one_out import LeaveOneOut, questions_left_out
from exam_core.wings.comparing.analysis.of_figures import swaps_of
from exam_core.wings.comparing.analysis.rank_bootstrap import ROWS as RANKS
from exam_core.wings.comparing.analysis.rank_bootstrap import stability
from exam_core.wings.comparing.analysis.rank_swaps import SWAPPED
from exam_core.wings.comparing.charts import rank_stability as charts
from exam_core.wings.comparing.reports.stability_lines import BOTH
from exam_core.wings.comparing.slides.compare_slides import pairs_of_runs
from exam_core.wording import RELIABILITY, counted, method_in_words, number, reference_in_words


def of_stability(told: Told) -> Slide:
    """The analysis whose tab was open, else the ranks; of print, the swapped pairs."""
    return STABILITY.get(SWAPS if told.figures.in_print else told.view.own("stability_view"), _ranks)(told)


def _ranks(told: Told) -> Slide:
    of = told.view.own("stability_of", "queries")
    found = told.ask(stability, told.figures.snapshot, told.choice, of=of)
    said, rows = charts.ranks_alternative(found.rows), told.shown(found.rows)
    figure, ranks = described(charts.ranks_figure(rows), said), RANKS.changed(mean={"label": told.heading})
    return told.slide(_leads(found.rows, of, told.method) or said, figure, rows, ranks, notes=tuple(found.notes))


def _leads(rows: pd.DataFrame, of: str, method: str) -> str:
    """How often the best run is first, and how wide intervals of ranks are, over resamplings."""
    known = rows[rows["rank"].notna()]
    if known.empty:
        return ""
    return charts.first_and_width(known, f"resamplings of the {BOTH.get(of, of)}", f" by {method}")


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
        return f"{title}: {counted({'questions': len(rows)})}, each left out alone."
    far = rows.loc[rows[by].abs().idxmax()]
    what = f"Kendall with {reference_in_words(found.reference)}" if found.reference else "ranks, on average,"
    return f"Leaving out one of {len(rows):,} questions changes {what} by {abs(far[by]):.3f} at most ({title})."


def _swaps(told: Told) -> Slide:
    found = told.ask(swaps_of, told.figures, told.asked, told.first)
    said = (
        f"{method_in_words(found.title)} and {reference_in_words(str(found.reference))} swap {found.swaps:,} of "
        f"{counted({'pairs': found.pairs})} of {counted({'runs': found.n})}."
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


ROWS = (PageSlide(RELIABILITY, of_stability, 80, former=("Stability", "How sure is the order?")),)
