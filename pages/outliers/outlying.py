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
ALL_FIGURES = "All figures: other methods, neighbours, queries, questions and passages"


def displaced(chosen: Selection) -> tuple[dict[str, Evaluation], Outliers]:
    """The methods by name, and the displacements."""
    also: list[str] = []
    if others := chosen.figures.other_measures(chosen.asked):
        usual = list(chosen.figures.further_measures(chosen.asked))
        also = st.multiselect(
            "Further measures", others, usual, key="outliers_also", help=ALSO, bind="query-params", width=ALSO_WIDE
        )
    found, choices = _displaced(chosen, tuple(also))
    naming.titles(*choices.values())
    return choices, found


def _displaced(chosen: Selection, also: tuple[str, ...]) -> tuple[Outliers, dict[str, Evaluation]]:
    """Displacements by the measure and others, and the methods."""
    return data.ask_slowly("Drawing queries", chosen.figures.displaced, chosen.series, chosen.asked, also)


def at_first(chosen: Selection) -> Outliers:
    """What the page shows where nobody chooses other measures, methods by the names of their graders."""
    return _seen(_displaced(chosen, chosen.figures.further_measures(chosen.asked))[0])


def _seen(found: Outliers) -> Outliers:
    """The same, methods by the names of their graders."""
    return replace(found, rows=naming.named(found.rows), methods=naming.named(found.methods))


def visible(found: Outliers, chosen: Selection) -> Outliers:
    """The same without the runs that are hidden."""
    return replace(found, rows=chosen.shown(found.rows), combined=chosen.shown(found.combined))


def places() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the sentence stands, and below it the controls that it is computed from."""
    return st.container(), st.container(horizontal=True, gap="medium", vertical_alignment="bottom")


def verdict(found: Outliers, chosen: Selection) -> None:
    """What the displacements say, in sentences."""
    first, *others = displacements.verdict(_seen(found))
    show.choice(chosen, headline=first)
    if others:
        show.text(" ".join(others))


def chart(found: Outliers, controls: DeltaGenerator, chosen: Selection) -> tuple[str, str] | None:
    """Displacements of the runs; the run and the method that were clicked."""
    seen = _seen(found)
    runs = RUNS[1]
    with controls:
        if found.rows["run_id"].nunique() > SHOWN_RUNS:
            runs = boxes.one_of("Runs", RUNS, key="outliers_runs")
        of = boxes.one_of("Displacement of", OF, key="outliers_of", help=DISPLACEMENT)
    kind, methods = OF[of], seen.methods["method"].tolist()
    rows = seen.rows if runs == RUNS[1] else displacements.most_displaced(seen, FIRST_RUNS)
    many = len(methods) >= MANY
    draw = displacement_strips if many else displacement_figure
    clicked = show.chart(draw(rows, methods, seen.reference, of=kind), key="outliers_chart", select=True)
    if said := [*([STRIPS if many else SYMBOLS] if found.draws else []), *show.meanings(chosen)]:
        st.caption(show.escaped(" ".join(said)))
    if not clicked:
        return None
    ids = dict(zip(methods, found.methods["method"], strict=True))
    return clicked[-2], ids.get(clicked[-1], "")


def pick(found: Outliers, clicked: tuple[str, str] | None) -> tuple[str | None, str | None]:
    """The run to explain, and the method."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        runs, taken = displacements.runs_to_explain(found), [clicked and clicked[0]]
        run = picking.pick("Explain run", runs, key="outliers_run", clicked=taken, help=RUN)
        mine = displacements.flagged_first(found.rows[found.rows["run_id"] == run])["method"].tolist()
        if not mine:
            return run, None
        picking.follow("outliers_method", mine[0], given=run)
        if clicked and clicked[1] in mine:
            st.session_state["outliers_method"] = clicked[1]
        method = naming.box(st.selectbox, "By", mine, key="outliers_method", help=METHOD) or mine[0]
        scrolling.back("outliers_chart")
    return run, method


def explanation(
    found: Outliers, choices: dict[str, Evaluation], run: str | None, method: str | None, chosen: Selection
) -> None:
    """How a run stands by one method, and the query behind that in two rankings."""
    seen, said = _seen(found), ""
    for row in seen.rows[((found.rows["run_id"] == run) & (found.rows["method"] == method)).to_numpy()].itertuples():
        said = displacements.displacement_sentence(row, seen)
    said = "" if said in displacements.verdict(seen) else said
    if run and method in choices and wings.draw("draw_displaced", chosen, choices[str(method)], run, said):
        return
    if said:
        show.text(said)
    if run is None or method is None or method in choices:
        return
    show.text(NO_QUERIES)
    _around(found, run)
    with st.expander("To see its queries, questions and passages", key="outliers_to_see"):
        show.text("Import a graded file with the runs and their passages:")
        show.command("examboard import workbench graded.jsonl.gz --collection mine --bank genq")


def _around(found: Outliers, run: str) -> None:
    seen = _seen(found)
    show.table(displacements.around(seen, run), displacements.around_columns(seen), key="outliers_around")


def figures(
    found: Outliers, choices: dict[str, Evaluation], run: str | None, method: str | None, chosen: Selection
) -> None:
    """Everything behind the chart and the explanation, folded away: it is made when it is opened."""
    with boxes.folded(ALL_FIGURES, icon=":material/table:", key="outliers_figures") as opened:
        if not opened:
            return
        shown: dict[str, Callable[[], object]] = {"Each run and method": lambda: _every(found)}
        if run and method in choices:
            shown[f"{show.escaped(shortened(run, 24))} by each method"] = lambda: _standing(found, run)
            shown = wings.with_tabs("Outliers", shown, chosen, choices[str(method)], run)
        for tab, draw in zip(st.tabs(list(shown), key="outliers_tabs", on_change="rerun"), shown.values(), strict=True):
            if tab.open:
                with tab:
                    draw()


def _standing(found: Outliers, run: str) -> None:
    rows = found.rows[found.rows["run_id"] == run]
    shown, alt = show.filled(rows[list(STANDING)]), f"Displacement of {run} by each method"
    show.table(shown, ROWS.ordered(*STANDING), key="outliers_standing", alt=alt)
    _around(found, run)


def _every(found: Outliers) -> None:
    """Every run by every method, and by the methods of a kind together."""
    show.table(displacements.flagged_first(found.rows), ROWS, key="outliers")
    if len(found.combined):
        st.markdown("## Methods together")
        show.table(displacements.flagged_first(found.combined), COMBINED, key="outliers_together")
