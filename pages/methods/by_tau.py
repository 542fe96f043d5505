"""What each tau trades off, and which to use."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.analysis.comparison import grouped_problems, needs_questions
from exam_core.charts.strips import MANY
from exam_core.errors import ExamboardError
from exam_core.request import Request
from exam_core.wings.comparing.cutoff_charts import cutoffs_figure
from exam_core.wings.comparing.cutoffs import (
    SERIES_CUTOFFS,
    WHICH_TAU,
    Cutoffs,
    Goal,
    advice,
    closest_taus,
    cutoffs,
    cutoffs_table,
    serves,
    which_tau_table,
)
from exam_core.wings.comparing.grid import GRID
from exam_core.wings.comparing.of_figures import grid_of
from pages.shared import boxes, charting, controls, data, naming, show, steps
from pages.shared.selection import Selection

COEFFICIENT = "Correlation with the reference that the charts show; the table has all of them."
PRINTED = (
    "Printed figures come without grades and queries, so only the printed taus are shown, without intervals. For other "
    "taus, choose a collection with grades, such as the demo."
)
IN_PRINT = ("bank", "grader", "measure", "tau", "kendall", "spearman", "n")
NO_BEST = (
    "No tau is better than another: neither for the order of the runs nor for agreement with the judges, nor to "
    "discriminate between runs."
)
USE = "Sets tau in the bar on the left."
USE_ALL: dict[Goal, str] = {
    "order": "Use the best taus for the order",
    "labels": "Use the best taus for agreement",
    "differences": "Use the best taus for discrimination",
}
HIGHLIGHTED = "cutoffs_series"
HIGHLIGHT = (
    "Shows this grading mode in colour, with intervals, and the others in grey. A click on a line chooses it, too."
)
FIGURES, CHART = "cutoffs_figures", "cutoffs_chart"


def sweep(selection: Selection) -> dict[str, Cutoffs]:
    """Every tau of each series; says why a series is missing."""
    choices, problems = {}, []
    measure = selection.request.measure
    without = [mode for mode in selection.series if needs_questions(selection.snapshot, mode, measure)]
    for mode in selection.series:
        if mode in without:
            continue
        try:
            # The bar's tau is left open, so that moving it asks for nothing new.
            choices[mode] = selection.of(mode, tau=None)
        except ExamboardError as error:
            problems.append((naming.name(mode), str(error)))
    pairs = [(selection.snapshot, choice) for choice in choices.values()]
    answers = data.ask_each("Comparing taus", cutoffs, pairs, relevant_from=selection.request.relevant_from)
    by_mode = dict(zip(choices, answers, strict=True))
    result: dict[str, Cutoffs] = {mode: answer for mode, answer in by_mode.items() if isinstance(answer, Cutoffs)}
    problems += [(naming.name(mode), str(error)) for mode, error in by_mode.items() if mode not in result]
    show.problems(grouped_problems(problems))
    steps.without_questions(without, selection)
    return result


def coefficient(selection: Selection) -> str:
    """The correlation that the charts show."""
    if selection.request.reference is None:
        return "kendall"
    names = {"Kendall": "kendall", "Spearman": "spearman"}
    return names[boxes.one_of("Correlation", names, key="cutoffs_coefficient", help=COEFFICIENT)]


def which_tau(result: dict[str, Cutoffs], selection: Selection) -> None:
    """Which tau to use for what, with buttons: of one series a sentence for each goal, of several a table."""
    notes = [at_taus.of_itself for at_taus in result.values() if at_taus.of_itself]
    for note in notes:
        show.text(naming.sentence(note))
    if not any(at_taus.best for at_taus in result.values()):
        if not notes:
            show.text(NO_BEST)
        return
    if len(result) > 1:
        if message := closest_taus(result, naming.names()):
            show.text(message)
        rows = which_tau_table(result)
        show.table(show.filled(rows), WHICH_TAU, key="cutoffs_which_tau")
        with st.container(horizontal=True):
            for goal, label in USE_ALL.items():
                _use(result, goal, label, selection)
        return
    for mode, at_taus in result.items():
        for goal, sentence in advice(at_taus, _tau_of(mode, selection)).items():
            left, right = st.columns([5, 1], vertical_alignment="center")
            with left:
                show.text(naming.sentence(sentence))
            with right:
                _use(result, goal, f"Use tau {at_taus.best[goal]}", selection)


def _use(result: dict[str, Cutoffs], goal: Goal, label: str, selection: Selection) -> None:
    """A button that sets each series to the tau that serves a goal, where one stands elsewhere."""
    away = {
        mode: at_taus.best[goal]
        for mode, at_taus in result.items()
        if goal in at_taus.best and not serves(at_taus, goal, _tau_of(mode, selection))
    }
    if away:
        # Where modes share the slider, it takes the first one's.
        taus = {controls.tau_key(selection, mode): tau for mode, tau in reversed(away.items())}
        set_to = partial(controls.set_taus, taus)
        st.button(label, key=f"cutoffs_use_{goal}", icon=":material/tune:", help=USE, on_click=set_to)


def _tau_of(mode: str, selection: Selection) -> float:
    return selection.request.of(mode).tau or selection.tau


def _highlighted(result: dict[str, Cutoffs]) -> str | None:
    """The series that stands out where there are many: picked in the box or by a click on its line."""
    if len(result) < MANY:
        return None
    ids = {naming.name(name): name for name in result}
    if (clicked := charting.clicked(CHART)) and clicked[-1] in ids:
        st.session_state[HIGHLIGHTED] = ids[clicked[-1]]
    return naming.name(naming.box(st.selectbox, "Highlight", list(result), key=HIGHLIGHTED, help=HIGHLIGHT))


def by_tau(result: dict[str, Cutoffs], selection: Selection) -> None:
    """What each tau trades off, a panel for each quantity, and all figures folded away."""
    which, highlighted = coefficient(selection), _highlighted(result)
    figure = cutoffs_figure(
        {naming.name(name): at_taus.rows for name, at_taus in result.items()},
        coefficient=which,
        tau=_tau_of(selection.series[0], selection) if selection.series else selection.tau,
        measured=selection.measure_heading,
        highlighted=highlighted,
        order=[naming.name(mode) for mode in selection.series],
    )
    show.chart(figure, key=CHART, select=highlighted is not None)
    st.caption(
        "Bands: 95% intervals. Star: recommended tau. Dotted line: tau of the bar. Better: a higher correlation and "
        "kappa, a lower standard error, more separable pairs of runs."
    )
    with boxes.folded("All figures by tau", icon=":material/table:", key=FIGURES) as opened:
        if opened:
            rows = cutoffs_table(result)
            shown = rows.drop(columns=["series"] if len(result) == 1 else [])
            show.table(shown, SERIES_CUTOFFS, key="cutoffs", export=rows)
    show.notes(list(dict.fromkeys(note for at_taus in result.values() for note in at_taus.notes)), expanded=False)


def printed(selection: Selection) -> None:
    """The taus that are printed."""
    show.text(PRINTED)
    if selection.request.reference is None:
        return
    grid = data.ask(grid_of, selection.figures, Request(reference=selection.request.reference))
    rows = grid.rows[grid.rows["undefined"] == ""].fillna({"bank": "", "grader": ""})
    rows, of = rows[list(IN_PRINT)], GRID.changed(grader={"label": "As printed", "help": ""})
    alt = "Correlation of each printed column with the reference, and the column's tau if it is printed"
    show.table(rows, of, key="cutoffs", alt=alt)
