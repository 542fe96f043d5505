"""What the page of outliers shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from exam_core.analysis.causes.explanation import PASSAGES, QUERIES, QUESTIONS, Explanation, explain
from exam_core.analysis.causes.outliers import (
    COMBINED,
    DISPLACEMENT,
    ROWS,
    Outliers,
    method_choices,
    named,
    outliers,
)
from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.unlabelled import measures_of
from exam_core.analysis.figures.protocol import Basis
from exam_core.charts.outliers import (
    contributions_alternative,
    contributions_figure,
    displacement_alternative,
    displacement_figure,
)
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.measures import Measure
from exam_core.reports import displacements
from exam_core.reports.tables import UNDEFINED
from pages.parts.texts import shown
from pages.shared import data, naming, picking, show, words
from pages.shared.chosen import Chosen

ALSO = (
    "Each grading mode of the control bar is a method by its measure and by these. Methods over questions (Cover) and "
    "over passage labels (P) that agree say more than one alone."
)
OF = {"ranks": "rank", "scores": "score"}
RUN = f"Flagged runs first, then the most displaced. {words.POINT}"
METHOD = "The method whose scores are taken apart; the one that displaces the run most comes first."
SHOWN_QUERIES = 12
SYMBOLS = (
    "Filled symbols: flagged (Holm p below 0.05). Open ones: not told from no displacement. Grey: 95% of the draws."
)
STRIPS = "Promoted runs first. Diamonds: flagged (Holm p below 0.05). A click on a cell shows how its run stands."
STANDING = ("method", "rank_displacement", "low", "high", "p_holm", "flagged", "rank", "reference_rank")


def printed(chosen: Chosen) -> tuple[dict[str, Evaluation], Outliers]:
    """The displacements on the printed columns; nothing explains them."""
    found, methods = data.ask(chosen.figures.outliers, chosen.asked)
    return methods, found


def graded(chosen: Chosen) -> tuple[dict[str, Evaluation], Outliers]:
    """The methods by name, and the displacements."""
    own = Measure.parse(chosen.asked.measure).name
    others = [name for name in measures_of(chosen.snapshot) if name != own]
    default = ["P"] if "P" in others else []
    also = st.multiselect("Also by", others, default, key="outliers_also", help=ALSO, bind="query-params")
    measures = [chosen.asked.measure, *(str(Measure.at(name, chosen.asked.depth)) for name in also)]
    graders = chosen.series if chosen.of_grades else ()
    choices, notes = method_choices(chosen.snapshot, chosen.asked, measures, graders, chosen.exactly)
    show.notes(notes)
    found = data.ask_slowly("Drawing queries", outliers, chosen.snapshot, tuple(choices))
    titles = named(choices)
    naming.also(dict(zip(titles, named(choices, naming.names()), strict=True)))
    return dict(zip(titles, choices, strict=True)), found


def _seen(found: Outliers) -> Outliers:
    """The same, methods by the names of their graders."""
    return replace(found, rows=naming.named(found.rows), methods=naming.named(found.methods))


def visible(found: Outliers, chosen: Chosen) -> Outliers:
    """The same without the runs that are hidden."""
    return replace(found, rows=chosen.shown(found.rows), combined=chosen.shown(found.combined))


def verdict(found: Outliers) -> None:
    """What the displacements say, in sentences."""
    found = _seen(found)
    many = len(found.methods) >= MANY
    flags = displacements.flag_summary(found) if many else displacements.flag_sentences(found)
    sentences = [*flags, *displacements.agreement_sentences(found, each=len(found.methods) <= MANY)]
    with st.container(border=True):
        for sentence in sentences or [f"One method against {found.reference}: there is none to agree with."]:
            show.text(sentence)
        if not found.draws:
            show.text(
                "There are no per-query figures here: without queries to draw, interval and p are undefined "
                f"({UNDEFINED}) and no run is flagged. That several methods agree is all that can be said."
            )


def chart(found: Outliers) -> Any | None:
    """Displacements of all runs; the run that was clicked."""
    of = st.segmented_control(
        "Displacement of",
        list(OF),
        default="ranks",
        required=True,
        key="outliers_of",
        help=DISPLACEMENT,
        bind="query-params",
    )
    found = _seen(found)
    kind, methods = OF[of or "ranks"], found.methods["method"].tolist()
    many = len(methods) >= MANY
    draw = displacement_strips if many else displacement_figure
    clicked = show.chart(
        draw(found.rows, methods, found.reference, of=kind),
        key="outliers_chart",
        alt=displacement_alternative(found.rows, methods, found.reference, of=kind),
        select=True,
    )
    if many:
        st.caption(STRIPS)
    else:
        st.caption(SYMBOLS if found.draws else "Promoted runs first. Click a symbol to see how the run stands.")
    return clicked[4] if clicked else None


def pick(found: Outliers, clicked: Any | None) -> str | None:
    """The run to explain."""
    st.subheader("Why does a run stand out?")
    return picking.pick(
        "Explain run",
        displacements.runs_to_explain(found),
        key="outliers_run",
        clicked=[clicked],
        help=RUN,
    )


def standing(found: Outliers, run: str) -> None:
    """How one run stands by every method, and its neighbours on the board."""
    found = _seen(found)
    rows = found.rows[found.rows["run_id"] == run]
    if len(rows) >= MANY:
        show.table(
            rows[list(STANDING)].dropna(axis="columns", how="all"),
            ROWS.ordered(*STANDING),
            key="outliers_standing",
            alt=f"Displacement of {run} by each method",
        )
    else:
        for row in rows.itertuples():
            show.text(displacements.displacement_sentence(row))
    board = displacements.around(found, run)
    show.text(f"The runs around {run} in {found.reference}, with their rank by each method:")
    show.table(
        board,
        displacements.around_columns(found),
        key="outliers_around",
        alt=f"Ranks of {run} and its neighbours by each method",
    )


def method(found: Outliers, choices: dict[str, Evaluation], run: str, chosen: Chosen) -> Evaluation | None:
    """The method that a run is explained by; where there is none, what could be loaded to have one."""
    methods = found.rows.loc[found.rows["run_id"] == run, "method"].tolist()
    if not choices or not methods:
        show.text(
            f"{chosen.snapshot.collection} holds printed figures: no query, question or passage explains {run} here. "
            "With a graded file, its runs and their passages this page takes the run apart:"
        )
        show.command("python -m exam_core import workbench graded.jsonl.gz --collection mine --bank genq")
        return None
    picked = naming.box(st.selectbox, "By", methods, key="outliers_method", help=METHOD) or methods[0]
    return choices[picked]


def explanation(choice: Evaluation, run: str, chosen: Chosen) -> None:
    """Queries, questions and passages that tell a run from its neighbours."""
    st.subheader("Beside its neighbours in the reference")
    why = data.ask(explain, chosen.snapshot, choice, run)
    show.text(f"Neighbours in {why.reference}: {', '.join(why.neighbours) or 'none'}.")
    (title,) = named((choice,), naming.names())
    _queries(why, title)
    _questions(why)
    _passages(why)
    show.notes(why.notes)


def _queries(why: Explanation, method: str) -> None:
    st.markdown("#### Queries that move it most")
    show.chart(
        contributions_figure(why.queries.head(SHOWN_QUERIES), why.run_id, method),
        key="outliers_queries_chart",
        alt=contributions_alternative(why.queries, why.run_id),
    )
    with st.expander("All queries"):
        show.table(
            shown(why.queries),
            QUERIES,
            key="outliers_queries",
            alt=f"Value of {why.run_id} and of its neighbours on every query",
        )


def _questions(why: Explanation) -> None:
    if why.questions.empty:
        return
    st.markdown("#### Questions that it answers and most neighbours don't, or the reverse")
    show.table(
        shown(why.questions, "query_id", "question_text", "answered", "neighbours_answering", "question_id"),
        QUESTIONS,
        key="outliers_questions",
        alt=f"Questions that tell {why.run_id} from its neighbours",
    )


def _passages(why: Explanation) -> None:
    if why.passages.empty:
        return
    st.markdown("#### Its passages behind that")
    show.table(
        shown(why.passages),
        PASSAGES,
        key="outliers_passages",
        alt=f"Passages of {why.run_id} that make the difference",
    )


def figures(found: Outliers) -> None:
    """Every figure behind the chart, flagged runs first."""
    if len(found.combined):
        st.subheader("Methods together")
        show.table(
            displacements.flagged_first(found.combined),
            COMBINED,
            key="outliers_together",
            alt="Mean displacement of every run over the methods of a kind",
        )
    st.subheader("Each method")
    show.table(
        displacements.flagged_first(found.rows),
        ROWS,
        key="outliers",
        alt="Displacement of every run by every method",
    )


ASKED: dict[Basis, Callable[[Chosen], tuple[dict[str, Evaluation], Outliers]]] = {"grades": graded, "print": printed}
"""Methods and displacements: of grades, and of print."""
