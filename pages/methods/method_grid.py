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
from exam_core.asked import JUDGED
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
from exam_core.wings.comparing.residuals import Residuals, scatter_figure, slope_figure
from exam_core.wording import counted, reference_in_words
from pages.shared import boxes, controls, data, help_texts, naming, picking, show, steps
from pages.shared.chosen import Chosen
from pages.shared.moved import TABS

MEASURES_AT_FIRST = ["Cover", "AP", "nDCG", "Rprec"]
HEIGHT = 422
HIDDEN, SLOPES = ["line", "bank"], "correlation_slopes"
AS_IN_THE_BAR = "as in the bar on the left"
METHOD = f"{help_texts.ROW} If empty: the first grading mode and tau of the bar."
MEASURE = "The measure that scores the runs below. If empty: the measure of the bar."
COLUMNS = "Further columns of the table, beside the measure of the bar."
PRINTED_METHOD = f"{help_texts.ROW} If empty: the first column of the bar."
NO_REFERENCE = "There is no leaderboard to compare with. Add human judgments, a leaderboard or a second grading mode."
NO_QUERIES = "Printed figures have no values by query, so coefficients have no intervals and scores no error bars."


def without_reference(chosen: Chosen) -> None:
    """What to do where there is nothing to compare with."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        show.text(NO_REFERENCE)
        steps.brings("judgments", chosen, "reference")


def pick(chosen: Chosen, *, opens: str) -> tuple[Evaluation | None, list[str]]:
    """The method grid with its notes, and the choice of one of its cells.

    Parameters
    ----------
    opens : the tab that a click on a row opens
    """
    offered = measures_of(chosen.snapshot)
    first = [name for name in MEASURES_AT_FIRST if name in offered] or offered[:1]
    above = st.container()
    boxes = st.columns(3)
    with boxes[0]:
        picked = st.multiselect(
            "Measures", offered, first, key="correlation_measures", help=COLUMNS, bind="query-params"
        )
    in_bar = Measure.parse(chosen.asked.measure)
    others = [Measure.at(name, chosen.asked.depth) for name in picked or first if name != in_bar.name]
    measures = (in_bar, *others)
    modes = [name for name in chosen.series if not judgments_of(chosen.snapshot, name)]
    choices = grid_choices(chosen.snapshot, chosen.asked, measures, modes)
    with above:
        found = data.ask_slowly("Comparing grading modes", grid, chosen.snapshot, tuple(choices), measures)
        clicked = _grid(found, chosen.snapshot.collection)
    if picking.is_new("method_grid row", clicked):
        st.session_state[TABS] = opens
    lines = wide_grid(found).table.set_index("line")
    with boxes[1]:
        more: Any = {"help": METHOD, "empty": AS_IN_THE_BAR, "of_graders": True}
        line = picking.pick("Grading mode and tau", lines.index, key="correlation_method", clicked=[clicked], **more)
    with boxes[2]:
        key = "correlation_measure"
        measure = picking.pick("Scored with", found.measures, key=key, help=MEASURE, empty=AS_IN_THE_BAR)
    changes = {"measure": measure} if measure else {}
    if line is None:
        return chosen.of(chosen.series[0], **changes) if chosen.series else None, found.notes
    mode = lines.loc[line]
    if kind := next((of for of, name in NO_GRADER.items() if name == mode["grader"]), None):
        own = [str(one) for one in measures if one.info.of == kind]
        bank = mode["bank"] if isinstance(mode["bank"], str) else chosen.asked.bank
        return chosen.of("", measure=measure if measure in own else own[0], bank=bank), found.notes
    if judgments_of(chosen.snapshot, str(mode["grader"])):
        return chosen.of(str(mode["grader"]), **changes), found.notes
    return replace(chosen.of(str(mode["grader"]), **changes), tau=int(mode["tau"])), found.notes


def _grid(found: Grid, collection: str) -> str | None:
    """The method grid; returns the grading mode and tau of the row that is clicked."""
    wide = wide_grid(found)
    named = replace(found, rows=naming.named(found.rows))
    rows = len(wide.table)
    row = show.table(
        wide.table.drop(columns=HIDDEN),
        wide.columns,
        key=f"method_grid_{collection}",
        alt=f"Rank correlations with {found.reference}. {best_cells(named)}",
        select=True,
        look=show.TableLook(css=wide.css.drop(columns=HIDDEN)),
        export=show.Export(found.rows, partial(grid_latex, named)),
    )
    st.caption(f"{counted({'rows': rows})}{', the table scrolls' if rows > show.ROWS else ''}. {LEGEND}")
    naming.also(dict(zip(wide.table["line"], wide_grid(named).table["line"], strict=True)))
    return picking.in_row(wide.table["line"], row)


def coefficients(choice: Evaluation, chosen: Chosen) -> None:
    """Every coefficient of one method with its interval."""
    (found,) = data.ask(correlations_of, chosen.snapshot, (choice,))
    mode = str(choice.grading.series)
    graded = choice.of_grades and not mode.startswith(JUDGED)
    whose = f", graded by {naming.name(mode)}" if graded else ""
    runs = counted({"runs": found.correlation.n})
    show.text(naming.sentence(f"{found.leaderboard}{whose}, against {found.reference}: {runs}."))
    rows = coefficients_table(found)
    show.table(rows.drop(columns="meaning"), ALL_COEFFICIENTS, key="coefficients", export=rows)
    for caveat in (*found.caveats, *_ties([found])):
        show.text(caveat)


def _ties(found: Sequence[Correlated]) -> list[str]:
    """Why tau-AP a is undefined where runs tie in the reference; once for all."""
    notes = (about_ties(one.reference, one.correlation.tau_ap, one.correlation.tau_ap_b) for one in found)
    return list(dict.fromkeys(chain.from_iterable(notes)))


def pick_column(chosen: Chosen) -> str | None:
    """The printed column that is nearest to the reference, all with their coefficients, and the choice of one."""
    found = data.ask(chosen.figures.correlations, chosen.asked)
    methods = methods_table(found)
    show.text(naming.sentence(closest(methods, str(chosen.asked.reference))))
    row = show.table(methods, METHODS, key=f"printed_methods_{chosen.snapshot.collection}", select=True)
    for note in _ties(found):
        show.text(note)
    names = methods["leaderboard"]
    more: Any = {"clicked": [picking.in_row(names, row)], "empty": AS_IN_THE_BAR}
    column = picking.pick(
        "Published result", names, key="correlation_column", help=PRINTED_METHOD, of_graders=True, **more
    )
    others = [name for name in chosen.series if name != chosen.asked.reference]
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


def run_by_run(chosen: Chosen, residuals_of: Callable[..., Residuals], *of: Any) -> None:
    """The runs of one method, or of a printed column, beside the reference: scores, and ranks folded away."""
    found = data.ask(residuals_of, *of, raw=chosen.raw)
    beside = replace(found, title=naming.sentence(found.title), reference=naming.reference(found.reference))
    rows = chosen.shown(beside.rows)
    controls.draw_view(chosen, ("raw", "re-normalised"))
    figure = scatter_figure(rows, **beside.axes, of_ranks=beside.of_ranks, identity=beside.identity)
    show.chart(figure, key="correlation_scatter")
    runs(beside, rows)
    with boxes.folded("Ranks side by side", icon=":material/compare_arrows:", key=SLOPES) as opened:
        if opened:
            ranks = slope_figure(rows, reference=beside.reference, title=beside.title)
            show.chart(ranks, key="correlation_chart")
    show.notes(beside.notes)


def runs(beside: Residuals, rows: Frame) -> None:
    """The figures behind both charts."""
    if beside.normalised:
        st.caption(
            f"Scores are re-normalised over all {beside.over} runs of the leaderboard. Compared are the "
            f"{len(beside.rows)} that {show.escaped(beside.reference)} ranks, too."
        )
    shown, declared = beside.table(rows)
    declared = declared.changed(score={"help": help_texts.SCORES}) if beside.normalised else declared
    look = show.TableLook(HEIGHT if len(rows) > 10 else None)
    show.table(shown, declared, key="correlation_runs", look=look, export=show.filled(rows))
