"""What each tau trades off, and which to use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from exam_core.analysis.comparison import needs_questions, said_once
from exam_core.asked import Asked
from exam_core.charts.strips import MANY
from exam_core.errors import ExamboardError
from exam_core.measures import MEASURES, Measure
from exam_core.wings.comparing.cutoff_charts import cutoffs_figure, multiples_figure, tau_strips
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
from pages.shared import boxes, charting, controls, data, naming, show, unasked
from pages.shared.chosen import Chosen
from pages.shared.moved import BY_TAU

MEASURES_AT_FIRST = ["Cover", "nCover", "P", "AP", "nDCG", "Rprec"]
COEFFICIENT = "Correlation with the reference that the charts show; the table has all of them."
MULTIPLES = "One small chart per measure, all with the same axes. Measures over labels work for every grading mode."
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
FIGURES, CHART, MULTIPLES_CHART = "cutoffs_figures", "cutoffs_chart", "cutoffs_measures_chart"


def sweep(chosen: Chosen) -> dict[str, Cutoffs]:
    """Every tau of each series; says why a series is missing."""
    choices, problems = {}, []
    without = [mode for mode in chosen.series if needs_questions(chosen.snapshot, mode, chosen.asked.measure)]
    for mode in chosen.series:
        if mode in without:
            continue
        try:
            # The bar's tau is left open, so that moving it asks for nothing new.
            choices[mode] = chosen.of(mode, tau=None)
        except ExamboardError as error:
            problems.append((naming.name(mode), str(error)))
    asked = [(chosen.snapshot, choice) for choice in choices.values()]
    answers = data.ask_each("Comparing taus", cutoffs, asked, relevant_from=chosen.asked.relevant_from)
    told = dict(zip(choices, answers, strict=True))
    found: dict[str, Cutoffs] = {mode: one for mode, one in told.items() if isinstance(one, Cutoffs)}
    problems += [(naming.name(mode), str(one)) for mode, one in told.items() if mode not in found]
    show.problems(said_once(problems))
    unasked.draw(without, chosen)
    return found


def coefficient(chosen: Chosen) -> str:
    """The correlation that the charts show."""
    if chosen.asked.reference is None:
        return "kendall"
    names = {"Kendall": "kendall", "Spearman": "spearman"}
    return names[boxes.one_of("Correlation", names, key="cutoffs_coefficient", help=COEFFICIENT)]


def which_tau(found: dict[str, Cutoffs], chosen: Chosen) -> None:
    """Which tau to use for what, with buttons: of one series a sentence for each goal, of several a table."""
    itself = [one.of_itself for one in found.values() if one.of_itself]
    for note in itself:
        show.text(naming.sentence(note))
    if not any(one.best for one in found.values()):
        if not itself:
            show.text(NO_BEST)
        return
    if len(found) > 1:
        if said := closest_taus(found, naming.names()):
            show.text(said)
        rows = which_tau_table(found)
        show.table(show.filled(rows), WHICH_TAU, key="cutoffs_which_tau")
        with st.container(horizontal=True):
            for goal, label in USE_ALL.items():
                use(found, goal, label, chosen)
        return
    for mode, one in found.items():
        for goal, sentence in advice(one, _tau_of(mode, chosen)).items():
            left, right = st.columns([5, 1], vertical_alignment="center")
            with left:
                show.text(naming.sentence(sentence))
            with right:
                use(found, goal, f"Use tau {one.best[goal]}", chosen)


def use(found: dict[str, Cutoffs], goal: Goal, label: str, chosen: Chosen) -> None:
    """A button that sets each series to the tau that serves a goal, where one stands elsewhere."""
    away = {
        mode: one.best[goal]
        for mode, one in found.items()
        if goal in one.best and not serves(one, goal, _tau_of(mode, chosen))
    }
    if away:
        # Modes that share the slider: the first one's.
        taus = {controls.tau_key(chosen, mode): tau for mode, tau in reversed(away.items())}
        set_to = partial(controls.set_taus, taus)
        st.button(label, key=f"cutoffs_use_{goal}", icon=":material/tune:", help=USE, on_click=set_to)


def _tau_of(mode: str, chosen: Chosen) -> int:
    return chosen.asked.of(mode).tau or chosen.tau


def highlighted(found: dict[str, Cutoffs]) -> str | None:
    """The series that stands out where there are many: picked in the box or by a click on its line."""
    if len(found) < MANY:
        return None
    ids = {naming.name(name): name for name in found}
    for key in (CHART, MULTIPLES_CHART):
        if (clicked := charting.clicked(key)) and clicked[-1] in ids:
            st.session_state[HIGHLIGHTED] = ids[clicked[-1]]
    return naming.name(naming.box(st.selectbox, "Highlight", list(found), key=HIGHLIGHTED, help=HIGHLIGHT))


def strips(found: dict[str, Cutoffs], chosen: Chosen, coefficient: str) -> None:
    """All series at once, where there are many."""
    if len(found) >= MANY and chosen.asked.reference is not None:
        rows = {naming.name(name): one.rows for name, one in found.items()}
        show.chart(tau_strips(rows, coefficient=coefficient, measured=chosen.measure_heading), key="cutoffs_strips")
        st.caption("Frame: recommended tau. Gap: above the scale of the grading mode.")


def _look(found: dict[str, Cutoffs], chosen: Chosen, coefficient: str) -> dict[str, Any]:
    """What both charts show: a coefficient, the first series' tau in the bar, and the series that stands out."""
    order = [naming.name(mode) for mode in chosen.series]
    tau = _tau_of(chosen.series[0], chosen) if chosen.series else chosen.tau
    return {"coefficient": coefficient, "tau": tau, "highlighted": highlighted(found), "order": order}


def charts(found: dict[str, Cutoffs], chosen: Chosen, look: dict[str, Any]) -> None:
    """What a tau trades off, a panel for each quantity."""
    rows = {naming.name(name): one.rows for name, one in found.items()}
    figure = cutoffs_figure(rows, measured=chosen.measure_heading, **look)
    show.chart(figure, key=CHART, select=look["highlighted"] is not None)
    st.caption(
        "Bands: 95% intervals. Star: recommended tau. Dotted line: tau of the bar. Better: a higher correlation and "
        "kappa, a lower standard error, more separable pairs of runs."
    )


def table(found: dict[str, Cutoffs]) -> None:
    """All figures, folded away."""
    with boxes.folded("All figures by tau", icon=":material/table:", key=FIGURES) as opened:
        if opened:
            rows = cutoffs_table(found)
            shown = rows.drop(columns=["series"] if len(found) == 1 else [])
            show.table(shown, SERIES_CUTOFFS, key="cutoffs", export=rows)


def by_measure(found: dict[str, Cutoffs], chosen: Chosen) -> None:
    """Correlation against tau, a small chart for each measure."""
    look = _look(found, chosen, coefficient(chosen))
    graded = [name for name, info in MEASURES.items() if info.of_grades]
    picked = st.multiselect(
        "Measures", graded, MEASURES_AT_FIRST, key="cutoffs_measures", help=MULTIPLES, bind="query-params"
    )
    if not picked:
        st.caption("Choose at least one measure.")
        return
    measures = tuple(Measure.at(name, chosen.asked.depth) for name in picked)
    asked = chosen.asked.but(measure=str(measures[0]), tau=None, own_taus=())  # the answer is of every tau
    swept = data.ask_slowly("Comparing measures", grid_of, chosen.figures, asked, measures, tuple(found))
    rows = naming.named(swept.rows.rename(columns={"grader": "series"}))
    rows = rows.assign(measure=rows["measure"].map(swept.heading))
    headings = [swept.heading(measure) for measure in swept.measures]
    figure = multiples_figure(rows, headings, **look)
    show.chart(figure, key=MULTIPLES_CHART, select=look["highlighted"] is not None)
    show.notes(swept.notes, expanded=False)


def by_tau(found: dict[str, Cutoffs], chosen: Chosen) -> None:
    """What each tau trades off."""
    which = coefficient(chosen)
    strips(found, chosen, which)
    charts(found, chosen, _look(found, chosen, which))
    table(found)
    show.notes(list(dict.fromkeys(note for one in found.values() for note in one.notes)), expanded=False)


def printed(chosen: Chosen) -> None:
    """The taus that are printed."""
    show.text(PRINTED)
    if chosen.asked.reference is None:
        return
    found = data.ask(grid_of, chosen.figures, Asked(reference=chosen.asked.reference))
    rows = found.rows[found.rows["undefined"] == ""].fillna({"bank": "", "grader": ""})
    rows, of = rows[list(IN_PRINT)], GRID.changed(grader={"label": "As printed", "help": ""})
    alt = "Correlation of each printed column with the reference, and the column's tau if it is printed"
    show.table(rows, of, key="cutoffs", alt=alt)


def tabs(chosen: Chosen) -> dict[str, Callable[[dict[str, Cutoffs], Chosen], None]]:
    """What draws each tab, by its name."""
    drawn: dict[str, Callable[[dict[str, Cutoffs], Chosen], None]] = {BY_TAU: by_tau}
    return drawn | ({"By measure": by_measure} if chosen.asked.reference is not None else {})
