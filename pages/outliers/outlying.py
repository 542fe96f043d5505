"""What the page of outliers shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from exam_core.analysis import displacements
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import COMBINED, DISPLACEMENT, ROWS, Outliers
from exam_core.charts.leaderboard_lines import displacement_figure
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.wording import shortened
from pages.shared import boxes, data, help_texts, naming, picking, scrolling, show, wings
from pages.shared.selection import Selection

ALSO = (
    "Each grading mode with each measure is a method. Displacement by both Cover and P is "
    "stronger evidence than by one alone."
)
OF = {"ranks": "rank", "scores": "score"}
RUNS = ("Most displaced", "All")
RUN = f"Significantly displaced runs first, then the most displaced. {help_texts.POINT}"
METHOD = "The method to explain. At first the method that displaces the run most; a click on a symbol chooses another."
SHOWN_RUNS, FIRST_RUNS = 16, 10
"""Runs that are all shown, and runs that are shown first where there are more."""
SYMBOLS = (
    "Filled: significantly displaced (p below 0.05, corrected for all runs; by at least one rank that ties alone don't "
    "explain). Grey: 95% interval. Click a symbol to have it explained."
)
STRIPS = (
    "Diamond: significantly displaced (p below 0.05, corrected for all runs; by at least one rank that ties alone "
    "don't explain). Click a cell to have it explained."
)
ALSO_WIDE = 320
"""Pixels of the box of other measures."""
NO_QUERIES = "Printed figures have no values by query, so no test is possible. Compare only whether the methods agree."
STANDING = ("method", "rank_displacement", "low", "high", "p", "p_holm", "flagged", "rank", "reference_rank")
ALL_FIGURES = "All figures: other methods and neighbours"


def displaced(selection: Selection) -> tuple[dict[str, Evaluation], Outliers]:
    """The methods by name, and the displacements."""
    also: list[str] = []
    if others := selection.figures.other_measures(selection.request):
        usual = list(selection.figures.further_measures(selection.request))
        also = st.multiselect(
            "Further measures", others, usual, key="outliers_also", help=ALSO, bind="query-params", width=ALSO_WIDE
        )
    outliers, choices = _displaced(selection, tuple(also))
    naming.titles(*choices.values())
    return choices, outliers


def _displaced(selection: Selection, also: tuple[str, ...]) -> tuple[Outliers, dict[str, Evaluation]]:
    return data.ask_slowly("Drawing queries", selection.figures.displaced, selection.series, selection.request, also)


def at_first(selection: Selection) -> Outliers:
    """The displacements that the page shows where nobody chooses other measures, with the names of graders."""
    return _named(_displaced(selection, selection.figures.further_measures(selection.request))[0])


def _named(outliers: Outliers) -> Outliers:
    """The same with the names of graders for their ids."""
    return replace(outliers, rows=naming.named(outliers.rows), methods=naming.named(outliers.methods))


def visible(outliers: Outliers, selection: Selection) -> Outliers:
    """The same without the runs that are hidden."""
    return replace(outliers, rows=selection.shown(outliers.rows), combined=selection.shown(outliers.combined))


def verdict(outliers: Outliers, selection: Selection) -> None:
    """The page's answer in sentences."""
    first, *others = displacements.verdict(_named(outliers))
    show.choice(selection, headline=first)
    if others:
        show.text(" ".join(others))


def chart(outliers: Outliers, controls: DeltaGenerator, selection: Selection) -> tuple[str, str] | None:
    """Displacements of the runs; the run and the method that were clicked."""
    known = _named(outliers)
    runs = RUNS[1]
    with controls:
        if outliers.rows["run_id"].nunique() > SHOWN_RUNS:
            runs = boxes.one_of("Runs", RUNS, key="outliers_runs")
        of = boxes.one_of("Displacement of", OF, key="outliers_of", help=DISPLACEMENT)
    kind, methods = OF[of], known.methods["method"].tolist()
    rows = known.rows if runs == RUNS[1] else displacements.most_displaced(known, FIRST_RUNS)
    many = len(methods) >= MANY
    draw = displacement_strips if many else displacement_figure
    clicked = show.chart(draw(rows, methods, known.reference, of=kind), key="outliers_chart", select=True)
    if sentences := [*([STRIPS if many else SYMBOLS] if outliers.draws else []), *show.meanings(selection)]:
        st.caption(show.escaped(" ".join(sentences)))
    if not clicked:
        return None
    ids = dict(zip(methods, outliers.methods["method"], strict=True))
    return clicked[-2], ids.get(clicked[-1], "")


def pick(outliers: Outliers, clicked: tuple[str, str] | None) -> tuple[str | None, str | None]:
    """The run to explain, and the method."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs, taken = displacements.runs_to_explain(outliers), [clicked and clicked[0]]
        run = picking.pick("Explain run", runs, key="outliers_run", clicked=taken, help=RUN)
        mine = displacements.flagged_first(outliers.rows[outliers.rows["run_id"] == run])["method"].tolist()
        if not mine:
            return run, None
        picking.follow("outliers_method", mine[0], value=run)
        if clicked and clicked[1] in mine:
            st.session_state["outliers_method"] = clicked[1]
        method = naming.box(st.selectbox, "By", mine, key="outliers_method", help=METHOD) or mine[0]
        scrolling.back("outliers_chart")
    return run, method


def explanation(
    outliers: Outliers, choices: dict[str, Evaluation], run: str | None, method: str | None, selection: Selection
) -> None:
    """How a run stands by one method, and the query behind that in two rankings."""
    known, message = _named(outliers), ""
    mine = (outliers.rows["run_id"] == run) & (outliers.rows["method"] == method)
    for row in known.rows[mine.to_numpy()].itertuples():
        message = displacements.displacement_sentence(row, known)
    message = "" if message in displacements.verdict(known) else message
    if run and method in choices and wings.draw("draw_displaced", selection, choices[str(method)], run, message):
        return
    if message:
        show.text(message)
    if run is None or method is None or method in choices:
        return
    show.text(NO_QUERIES)
    _around(outliers, run)
    with st.expander("To see its queries, questions and passages", key="outliers_to_see"):
        show.text("Import a graded file with the runs and their passages:")
        show.command("examboard import workbench graded.jsonl.gz --collection mine --bank genq")


def _around(outliers: Outliers, run: str) -> None:
    known = _named(outliers)
    show.table(displacements.neighbours_table(known, run), displacements.around_columns(known), key="outliers_around")


def figures(outliers: Outliers, choices: dict[str, Evaluation], run: str | None, method: str | None) -> None:
    """Everything behind the chart and the explanation, folded away: it is made when it is opened."""
    with boxes.folded(ALL_FIGURES, icon=":material/table:", key="outliers_figures") as opened:
        if not opened:
            return
        shown: dict[str, Callable[[], object]] = {"Each run and method": lambda: _every(outliers)}
        if run and method in choices:
            shown[f"{show.escaped(shortened(run, 24))} by each method"] = lambda: _standing(outliers, run)
        for tab, draw in zip(st.tabs(list(shown), key="outliers_tabs", on_change="rerun"), shown.values(), strict=True):
            if tab.open:
                with tab:
                    draw()


def _standing(outliers: Outliers, run: str) -> None:
    rows = outliers.rows[outliers.rows["run_id"] == run]
    shown, alt = show.filled(rows[list(STANDING)]), f"Displacement of {run} by each method"
    show.table(shown, ROWS.ordered(*STANDING), key="outliers_standing", alt=alt)
    _around(outliers, run)


def _every(outliers: Outliers) -> None:
    """Every run by every method, and by the methods of a kind together."""
    show.table(displacements.flagged_first(outliers.rows), ROWS, key="outliers")
    if len(outliers.combined):
        st.markdown("## Methods together")
        show.table(displacements.flagged_first(outliers.combined), COMBINED, key="outliers_together")
