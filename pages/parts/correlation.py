"""What the page Correlation draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from exam_core.analysis.beside.correlation import Correlated, correlations_of
from exam_core.analysis.beside.grid import grid, grid_choices
from exam_core.analysis.beside.residuals import Residuals, residuals
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.figures.protocol import Basis
from exam_core.charts.correlation import scatter_alternative, scatter_figure, slope_alternative, slope_figure
from exam_core.measures import MEASURES, Measure
from exam_core.reports.coefficients import MEANINGS, coefficients_table, methods_table
from exam_core.reports.grid import grid_latex
from exam_core.reports.wide_grid import LEGEND, best_cells, wide_grid
from pages.shared import data, picking, show, words
from pages.shared.chosen import Chosen

MEASURES_AT_FIRST = ["AP", "nDCG", "Rprec", "Cover"]
HEIGHT = 422
AS_IN_THE_BAR = "as in the bar on the left"
METHOD = f"{words.ROW} Left empty, it is the first grading mode and tau of the bar."
MEASURE = "What the runs are scored with below. Left empty, it is the measure of the bar."
COLUMNS = "The columns of the table."
PRINTED_METHOD = f"{words.ROW} Left empty, it is the first column of the bar."
NO_REFERENCE = (
    "There is no leaderboard to compare with, and nothing to compute one from: that takes runs, and judgments or a "
    "second grading mode. Add judgments with: python -m exam_core import qrels FILE, or a leaderboard with: "
    "python -m exam_core import leaderboard FILE --name official, each with --collection"
)
NO_QUERIES = "Printed figures have no queries to draw from: coefficients have no intervals, and scores no error bars."
INTERVAL = (
    "95% of 1,000 draws of the queries with replacement (Efron & Tibshirani 1993, chapter 13). The reference stays as "
    "it is, unless it was computed here. A dagger where there are no queries to draw from."
)
EXPECTED = "The score that the line gives at the reference's value."
RESIDUAL = "Score minus expected score: how far the run is above the line."
DISPLACEMENT = "Rank in the reference minus own rank, both among these runs: positive where the run is promoted."


def without_reference(chosen: Chosen) -> None:
    """What to do where there is nothing to compare with."""
    show.text(f"{NO_REFERENCE} {chosen.snapshot.collection}")


def graded(chosen: Chosen) -> tuple[Residuals | None, list[str]]:
    """The method grid, the coefficients of the method that is picked, and its runs, and notes; None without one."""
    choice, notes = _pick(chosen)
    if choice is None:
        return None, notes
    (found,) = data.ask(correlations_of, chosen.snapshot, (choice,))
    _coefficients(found, str(choice.grading.grader))
    beside: Residuals = data.ask(residuals, chosen.snapshot, choice, raw=chosen.raw)
    return beside, notes


def _pick(chosen: Chosen) -> tuple[Evaluation | None, list[str]]:
    """The method grid with its notes, and the choice of one of its cells."""
    picked = st.multiselect(
        "Measures", list(MEASURES), MEASURES_AT_FIRST, key="correlation_measures", help=COLUMNS, bind="query-params"
    )
    names = picked or MEASURES_AT_FIRST
    measures = tuple(Measure.at(name, chosen.asked.depth) for name in names)
    choices = grid_choices(chosen.snapshot, chosen.asked, measures)
    found = data.ask_slowly("Comparing grading modes", grid, chosen.snapshot, tuple(choices), measures)
    wide = wide_grid(found)
    row = show.table(
        wide.table,
        key=f"method_grid_{chosen.snapshot.collection}",
        alt=f"Rank correlations with {found.reference}. {best_cells(found)}",
        columns=_grid_columns([found.heading(measure) for measure in found.measures]),
        select=True,
        look=show.Look(HEIGHT if len(wide.table) > 10 else None, wide.css),
        export=show.Export(found.rows, partial(grid_latex, found)),
    )
    st.caption(LEGEND)
    lines = wide.table.set_index("line")
    left, right = st.columns([2, 1])
    with left:
        line = picking.pick(
            "Method",
            list(lines.index),
            clicked=[None if row is None else str(wide.table["line"].iloc[row])],
            key="correlation_method",
            help=METHOD,
            index=None,
            placeholder=AS_IN_THE_BAR,
        )
    with right:
        measure = picking.pick(
            "Scored with",
            found.measures,
            key="correlation_measure",
            help=MEASURE,
            index=None,
            placeholder=AS_IN_THE_BAR,
        )
    changes = {"measure": measure} if measure else {}
    if line is None:
        return chosen.of(chosen.series[0], **changes) if chosen.series else None, found.notes
    mode = lines.loc[line]
    # The row's own tau, also one above the scale that some of the mode's labels reach all the same.
    return replace(chosen.of(str(mode["grader"]), **changes), tau=int(mode["tau"])), found.notes


def _grid_columns(measures: list[str]) -> dict[str, object]:
    columns: dict[str, object] = {
        "line": None,
        "bank": None,
        "grader": st.column_config.TextColumn("Grading mode", help=words.MODES, width="medium"),
        "tau": st.column_config.NumberColumn("tau", help=words.TAU, width="small"),
        "n": st.column_config.NumberColumn("Runs", width="small"),
    }
    for measure in measures:
        for letter, text in (("S", words.SPEARMAN), ("K", words.KENDALL)):
            columns[f"{measure} {letter}"] = st.column_config.NumberColumn(
                f"{measure} {letter}", help=text, format=show.NUMBER
            )
    return columns


def printed(chosen: Chosen) -> tuple[Residuals | None, list[str]]:
    """The printed columns with all coefficients, and the runs of the one that is picked."""
    found: list[Correlated] = data.ask(chosen.figures.correlations, chosen.asked)
    methods = methods_table(found)
    decimal = partial(st.column_config.NumberColumn, format=show.NUMBER)
    row = show.table(
        methods,
        key=f"printed_methods_{chosen.snapshot.collection}",
        alt=f"Rank correlations of the printed columns with {chosen.asked.reference}",
        columns={
            "leaderboard": st.column_config.TextColumn("Printed column", pinned=True),
            **{name: decimal(label, help=text) for name, (label, text) in MEANINGS.items()},
            "n": st.column_config.NumberColumn("Runs"),
        },
        select=True,
    )
    column = picking.pick(
        "Printed column",
        list(methods["leaderboard"]),
        clicked=[None if row is None else str(methods["leaderboard"].iloc[row])],
        key="correlation_column",
        help=PRINTED_METHOD,
        index=None,
        placeholder=AS_IN_THE_BAR,
    )
    others = [name for name in chosen.series if name != chosen.asked.reference]
    notes = [NO_QUERIES]
    if column is None and not others:
        return None, notes
    beside: Residuals = data.ask(chosen.in_print.residuals, column or others[0], chosen.asked, raw=chosen.raw)
    return beside, notes


def _coefficients(found: Correlated, mode: str) -> None:
    """Every coefficient of one leaderboard with its interval."""
    show.text(f"{found.leaderboard}, graded by {mode}, against {found.reference}: {found.correlation.n} runs.")
    show.table(
        coefficients_table(found),
        key="coefficients",
        alt=f"Correlation coefficients of {found.leaderboard} and {found.reference} with 95% intervals",
        columns={
            "coefficient": st.column_config.TextColumn("Coefficient", pinned=True),
            "value": st.column_config.NumberColumn("Value", format=show.NUMBER),
            "value_interval": st.column_config.TextColumn("95% interval", help=INTERVAL),
            "meaning": st.column_config.TextColumn("What it is", width="large"),
        },
    )
    for caveat in found.caveats:
        show.text(caveat)


def scatter(beside: Residuals) -> None:
    """Scores against the reference."""
    st.subheader("Scores against the reference")
    axes = {"x": _of_reference(beside), "y": _of_runs(beside)}
    show.chart(
        scatter_figure(beside.rows, **axes, of_ranks=beside.of_ranks, identity=beside.identity),
        key="correlation_scatter",
        alt=scatter_alternative(beside.rows, **axes, identity=beside.identity),
    )


def _of_reference(beside: Residuals) -> str:
    if beside.of_ranks:
        return f"rank in {beside.reference} (1, the best, on the right)"
    return f"{beside.reference}, re-normalised" if beside.normalised else beside.reference


def _of_runs(beside: Residuals) -> str:
    return f"{beside.title}, re-normalised" if beside.normalised else beside.title


def slopes(beside: Residuals) -> None:
    """Ranks of the reference and of the method, side by side."""
    st.subheader("Ranks")
    sides = {"reference": beside.reference, "title": beside.title}
    show.chart(
        slope_figure(beside.rows, **sides), key="correlation_slopes", alt=slope_alternative(beside.rows, **sides)
    )


def runs(beside: Residuals) -> None:
    """The figures behind both charts."""
    if beside.normalised:
        compared = len(beside.rows)
        st.caption(
            f"Scores are re-normalised over the {beside.over} runs of their board, as on Leaderboard; "
            f"{compared} of them are in {show.escaped(beside.reference)}, too, and compared here."
        )
    decimal = partial(st.column_config.NumberColumn, format=show.NUMBER)
    show.table(
        beside.rows.dropna(axis="columns", how="all"),
        key="correlation_runs",
        alt=f"Scores, residuals and ranks of {len(beside.rows)} runs against {beside.reference}",
        columns={
            "run_id": st.column_config.TextColumn("Run", pinned=True),
            "score": decimal(_of_runs(beside), help=words.SCORES if beside.normalised else words.MEAN),
            "stderr": decimal("± SE", help=words.STDERR),
            "reference": None if beside.of_ranks else decimal(_of_reference(beside)),
            "reference_stderr": decimal("± SE of the reference"),
            "expected": decimal("Expected", help=EXPECTED),
            "residual": st.column_config.NumberColumn("Residual", help=RESIDUAL, format="%+.3f"),
            "rank": st.column_config.NumberColumn("Rank", help=words.RANK, format="%g"),
            "reference_rank": st.column_config.NumberColumn("Rank in the reference", format="%g"),
            "displacement": st.column_config.NumberColumn("Displacement", help=DISPLACEMENT, format="%+g"),
        },
        look=show.Look(HEIGHT if len(beside.rows) > 10 else None),
    )


ASKED: dict[Basis, Callable[[Chosen], tuple[Residuals | None, list[str]]]] = {"grades": graded, "print": printed}
"""Runs beside the reference, and notes: of grades, and of print."""
