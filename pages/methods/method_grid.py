"""The method grid, the coefficients of the method that is picked, and its runs beside the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.choosing import judgments_of
from exam_core.analysis.comparison import (
    ALL_COEFFICIENTS,
    METHODS,
    Correlated,
    coefficients_table,
    correlations_of,
    methods_table,
)
from exam_core.analysis.references import about_ties
from exam_core.analysis.unlabelled import measures_of
from exam_core.measures import Measure
from exam_core.table_text import Frame
from exam_core.wings.comparing.grid import (
    LEGEND,
    NO_GRADER,
    Grid,
    best_cells,
    grid,
    grid_choices,
    grid_latex,
    wide_grid,
)
from exam_core.wings.comparing.residuals import Residuals, scatter_figure
from exam_core.wording import counted, reference_in_words
from pages.shared import controls, data, help_texts, naming, picking, show, steps
from pages.shared.moved import TABS
from pages.shared.selection import Selection

MEASURES_AT_FIRST = ["Cover", "AP", "nDCG", "Rprec"]
HEIGHT = 422
HIDDEN = ["line", "bank"]
AS_IN_THE_BAR = "as in the bar on the left"
METHOD = f"{help_texts.ROW} If empty: the first grading mode and tau of the bar."
MEASURE = "The measure that scores the runs below. If empty: the measure of the bar."
COLUMNS = "Further columns of the table, beside the measure of the bar."
PRINTED_METHOD = f"{help_texts.ROW} If empty: the first column of the bar."
NO_REFERENCE = "There is no leaderboard to compare with. Add human judgments, a leaderboard or a second grading mode."
NO_QUERIES = "Printed figures have no values by query, so coefficients have no intervals and scores no error bars."


def without_reference(selection: Selection) -> None:
    """What to do where there is nothing to compare with."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        show.text(NO_REFERENCE)
        steps.brings("judgments", selection, "reference")


def pick(selection: Selection, *, opens: str) -> tuple[Evaluation | None, list[str]]:
    """The method grid with its notes, and the choice of one of its cells.

    Parameters
    ----------
    opens : the tab that a click on a row opens
    """
    offered = measures_of(selection.snapshot)
    first = [name for name in MEASURES_AT_FIRST if name in offered] or offered[:1]
    above = st.container()
    left, middle, right = st.columns(3)
    with left:
        picked = st.multiselect(
            "Measures", offered, first, key="correlation_measures", help=COLUMNS, bind="query-params"
        )
    in_bar = Measure.parse(selection.request.measure)
    others = [Measure.at(name, selection.request.depth) for name in picked or first if name != in_bar.name]
    measures = (in_bar, *others)
    modes = [name for name in selection.series if not judgments_of(selection.snapshot, name)]
    choices = grid_choices(selection.snapshot, selection.request, measures, modes)
    with above:
        result = data.ask_slowly("Comparing grading modes", grid, selection.snapshot, tuple(choices), measures)
        clicked = _grid(result, selection.snapshot.collection)
    if picking.is_new("method_grid row", clicked):
        st.session_state[TABS] = opens
    lines = wide_grid(result).table.set_index("line")
    with middle:
        more: Any = {"help": METHOD, "empty": AS_IN_THE_BAR, "of_graders": True}
        line = picking.pick("Grading mode and tau", lines.index, key="correlation_method", clicked=[clicked], **more)
    with right:
        key = "correlation_measure"
        measure = picking.pick("Scored with", result.measures, key=key, help=MEASURE, empty=AS_IN_THE_BAR)
    changes = {"measure": measure} if measure else {}
    if line is None:
        return selection.of(selection.series[0], **changes) if selection.series else None, result.notes
    mode = lines.loc[line]
    if kind := next((of for of, name in NO_GRADER.items() if name == mode["grader"]), None):
        own = [str(known) for known in measures if known.info.of == kind]
        bank = mode["bank"] if isinstance(mode["bank"], str) else selection.request.bank
        return selection.of("", measure=measure if measure in own else own[0], bank=bank), result.notes
    if judgments_of(selection.snapshot, str(mode["grader"])):
        return selection.of(str(mode["grader"]), **changes), result.notes
    return replace(selection.of(str(mode["grader"]), **changes), tau=int(mode["tau"])), result.notes


def _grid(result: Grid, collection: str) -> str | None:
    """The method grid; returns the line (grading mode and tau) that is clicked."""
    wide = wide_grid(result)
    named = replace(result, rows=naming.named(result.rows))
    rows = len(wide.table)
    row = show.table(
        wide.table.drop(columns=HIDDEN),
        wide.columns,
        key=f"method_grid_{collection}",
        alt=f"Rank correlations with {result.reference}. {best_cells(named)}",
        select=True,
        look=show.TableLook(css=wide.css.drop(columns=HIDDEN)),
        export=show.Export(result.rows, partial(grid_latex, named)),
    )
    st.caption(f"{counted({'rows': rows})}{', the table scrolls' if rows > show.ROWS else ''}. {LEGEND}")
    naming.also(dict(zip(wide.table["line"], wide_grid(named).table["line"], strict=True)))
    return picking.in_row(wide.table["line"], row)


def coefficients(choice: Evaluation, selection: Selection) -> None:
    """Every coefficient of one method with its interval."""
    (row,) = data.ask(correlations_of, selection.snapshot, (choice,))
    naming.titles(choice)
    runs = counted({"runs": row.correlation.n})
    show.text(f"{naming.sentence(row.leaderboard)}, against {naming.reference(row.reference)}: {runs}.")
    rows = coefficients_table(row)
    show.table(rows.drop(columns="meaning"), ALL_COEFFICIENTS, key="coefficients", export=rows)
    for caveat in (*row.caveats, *_ties([row])):
        show.text(caveat)


def _ties(correlations: Sequence[Correlated]) -> list[str]:
    """Why tau-AP a is undefined where runs tie in the reference, once for all."""
    notes = (about_ties(row.reference, row.correlation.tau_ap, row.correlation.tau_ap_b) for row in correlations)
    return list(dict.fromkeys(chain.from_iterable(notes)))


def pick_column(selection: Selection) -> str | None:
    """The printed column that is nearest to the reference, all with their coefficients, and the choice of one."""
    rows = data.ask(selection.figures.correlations, selection.request)
    methods = methods_table(rows)
    show.text(naming.sentence(closest(methods, str(selection.request.reference))))
    row = show.table(methods, METHODS, key=f"printed_methods_{selection.snapshot.collection}", select=True)
    for note in _ties(rows):
        show.text(note)
    names = methods["leaderboard"]
    more: Any = {"clicked": [picking.in_row(names, row)], "empty": AS_IN_THE_BAR}
    column = picking.pick(
        "Published result", names, key="correlation_column", help=PRINTED_METHOD, of_graders=True, **more
    )
    others = [name for name in selection.series if name != selection.request.reference]
    return str(column) if column is not None else next(iter(others), None)


def closest(methods: Frame, reference: str) -> str:
    """Which column orders the runs most as the reference does; none where no coefficient is defined."""
    known = methods.dropna(subset=["kendall"])
    if known.empty:
        return f"No printed column has a rank correlation with {reference}."
    best = known.loc[known["kendall"].idxmax()]
    return (
        f"{best['leaderboard']} orders the runs most as {reference_in_words(reference)} does: "
        f"Spearman {show.fraction(best['spearman'])}, "
        f"Kendall {show.fraction(best['kendall'])} over {best['n']} runs."
    )


def run_by_run(selection: Selection, residuals_of: Callable[..., Residuals], *of: Any) -> None:
    """The runs of one method, or of a printed column, beside the reference."""
    residuals = data.ask(residuals_of, *of, raw=selection.raw)
    beside = replace(residuals, title=naming.sentence(residuals.title), reference=naming.reference(residuals.reference))
    rows = selection.shown(beside.rows)
    controls.draw_view(selection, ("raw", "re-normalised"))
    figure = scatter_figure(rows, **beside.axes, of_ranks=beside.of_ranks, identity=beside.identity)
    show.chart(figure, key="correlation_scatter")
    runs(beside, rows)
    show.notes(beside.notes)


def runs(beside: Residuals, rows: Frame) -> None:
    """The figures behind the chart."""
    if beside.normalised:
        st.caption(
            f"Scores are re-normalised over all {beside.over} runs of the leaderboard. Compared are the "
            f"{len(beside.rows)} that {show.escaped(beside.reference)} ranks, too."
        )
    shown, declared = beside.table(rows)
    declared = declared.changed(score={"help": help_texts.SCORES}) if beside.normalised else declared
    look = show.TableLook(HEIGHT if len(rows) > 10 else None)
    show.table(shown, declared, key="correlation_runs", look=look, export=show.filled(rows))
