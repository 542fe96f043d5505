"""What the page of question difficulty shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from exam_core.charts.chart_layout import beginning
from exam_core.wings.banks import health as analysis
from exam_core.wings.banks.slides import difficulty_figure
from exam_core.wording import counted
from pages.shared import boxes, data, help_texts, picking, show
from pages.shared.selection import Selection
from pages.shared.static import static

ALL_KINDS = f"{'; '.join(map(': '.join, analysis.KINDS.items()))}. If none is chosen, all are shown."
PICK = f"{help_texts.ROW} {help_texts.POINT} The box lists the first 300 questions of the table."
LISTED, SHOWN = 300, 3
"""Questions in the box, and in full beside the chart."""
KEY = "difficulty_question"
Id = tuple[str, str]
"""query_id and question_id."""


def ask(selection: Selection, mode: str) -> analysis.Difficulty:
    """The questions of the chosen bank under one grading mode."""
    return data.ask(analysis.difficulty, selection.snapshot, selection.of(mode))


def summary(difficulty: analysis.Difficulty) -> None:
    """The bank in two sentences."""
    depth = f"first {difficulty.depth}" if difficulty.depth else "ranked"
    show.text(
        f"Bank {difficulty.grading.bank_id}, {counted({'runs': difficulty.n_runs})}: "
        f"{analysis.kinds_in_words(difficulty.rows)}. "
        f"A run answers a question when one of its {depth} passages has a grade of at least {difficulty.tau}."
    )


def queries(difficulty: analysis.Difficulty) -> None:
    """The hardest and the easiest query in a sentence, and all of them."""
    known = difficulty.queries.dropna(subset=["runs_share"])
    ends = [
        f"{what} query: {row.query_id} {beginning(row.query_text)} (on average {row.runs_share:.0%} of the runs answer "
        "a question)."
        for what, rows in (("Hardest", known.head(1)), ("Easiest", known.tail(1)))
        for row in rows.itertuples()
    ]
    if ends:
        show.text(" ".join(ends))
    show.table(show.worded(difficulty.queries), analysis.QUERIES, key="difficulty_queries")


def filtered(difficulty: analysis.Difficulty) -> Any:
    """The questions of the kinds that are picked, worst first."""
    counts = analysis.counts_of_kinds(difficulty.rows)
    kinds = boxes.some_of("Show only", counts, key="difficulty_kind", help=ALL_KINDS)
    return analysis.questions_of_kinds(difficulty.rows, tuple(kinds))


def chart(rows: Any, difficulty: analysis.Difficulty) -> Id | None:
    """Difficulty by discrimination; the question whose point was clicked."""
    clicked = show.chart(difficulty_figure(rows, difficulty.told_from_zero), key="difficulty_chart", select=True)
    st.caption(
        f"Between the dotted lines (±{show.fraction(difficulty.told_from_zero)}) a correlation over "
        f"{counted({'runs': difficulty.n_runs})} "
        "does not differ significantly from 0 (t-test, p < 0.05). Questions that all or no runs answer have no point."
    )
    return (clicked[0], clicked[1]) if clicked else None


def table(rows: Any) -> Id | None:
    """Every question, worst first; the one whose row was clicked."""
    st.caption("Questions that favour worse runs come first, then those without a discrimination, then the others.")
    place = show.table(show.worded(rows, *_COLUMNS), analysis.ROWS, key="difficulty", select=True)
    return None if place is None else (rows["query_id"].iloc[place], rows["question_id"].iloc[place])


_NUMBERS = ("runs", "runs_share", "passages", "graded", "item_rest", "kendall")
_COLUMNS = ("query_id", "question_text", "kind", *_NUMBERS, "facet", "question_id")


def pick(rows: Any, *clicked: Id | None) -> Any | None:
    """The row of the question to look at."""
    st.header("Who answers it?")
    if rows.empty:
        st.caption("No question is of the chosen kinds.")
        return None
    request = st.session_state.get(KEY) or st.query_params.get(KEY) or ""
    first = rows.head(LISTED)
    shown = {*zip(first["query_id"], first["question_id"], strict=True), *clicked}
    of = {pair[0] for pair in shown if pair} | {
        name for name in rows["query_id"].unique() if request.startswith(f"{name}: ")
    }
    every = _labels(list(rows[rows["query_id"].isin(of)].itertuples()))
    labels = {name: row for name, row in every.items() if name == request or (row.query_id, row.question_id) in shown}
    at = {(row.query_id, row.question_id): label for label, row in labels.items()}
    picked = picking.pick(
        "Question", list(labels), key=KEY, clicked=[at.get(item) if item else None for item in clicked], help=PICK
    )
    return labels.get(picked) if picked else None


def _labels(rows: list[Any]) -> dict[str, Any]:
    """Rows by what they are called in the box and in the address; by id where two would be called the same."""
    labels: dict[str, Any] = {}
    for row in rows:
        name = label(row.query_id, _text(row))
        labels[f"{row.query_id}: {row.question_id}" if name in labels else name] = row
    return labels


def label(query_id: str, text: str) -> str:
    """What a question is called in the box and in the address."""
    return f"{query_id}: {beginning(text)}"


def question(row: Any | None, difficulty: analysis.Difficulty, selection: Selection, mode: str) -> None:
    """One question: its words, and which runs answer it with which passage."""
    if row is None:
        return
    show.text(_text(row))
    facet = f" Facet: {row.facet}." if isinstance(row.facet, str) else ""
    answering = (
        ""
        if row.kind == analysis.UNREAD
        else f" {row.runs} of {counted({'runs': difficulty.n_runs})} and {row.passages:,} of {row.graded:,} "
        f"graded passages answer it."
    )
    show.text(f"{row.kind}: {analysis.KINDS[row.kind]}.{answering}{facet}")
    runs = data.ask(analysis.runs_of_question, selection.snapshot, selection.of(mode), row.query_id, row.question_id)
    show.table(runs, analysis.RUNS, key="difficulty_runs", look=show.TableLook(show.height_of(6)))


def _text(row: Any) -> str:
    """What a question asks, or its id where the bank has no words."""
    return row.question_text if isinstance(row.question_text, str) else str(row.question_id)


def extremes(rows: Any) -> None:
    """The questions that separate the runs best, and those that worse runs answer, in their own words."""
    for heading, kind, ends in (
        ("Questions that best separate good runs from bad", analysis.DISCRIMINATING, rows.iloc[::-1]),
        ("Questions that worse runs answer", analysis.NEGATIVE, rows),
    ):
        first = analysis.questions_of_kinds(ends, (kind,)).head(SHOWN)
        if len(first):
            words = first.assign(question_text=[_text(row) for row in first.itertuples()])
            st.html(static(words[["question_text"]], analysis.ROWS, heading))


def draw(selection: Selection, more: Callable[[str], Mapping[str, Callable[[], object]]]) -> None:
    """The questions, which runs answer one of them, and the queries.

    Parameters
    ----------
    more : other tabs, of a grading mode
    """
    place = st.container()
    mode = show.mode(selection, of_one=False)
    difficulty = ask(selection, mode)
    with place:
        summary(difficulty)
    rows = filtered(difficulty)
    left, right = st.columns([5, 3])
    with left:
        clicked = chart(rows, difficulty)
    with right:
        extremes(rows)
    in_table: list[Id | None] = []
    drawn: dict[str, Callable[[], object]] = {
        "All questions, worst first": lambda: in_table.append(table(rows)),
        "All queries, hardest first": partial(queries, difficulty),
    }
    show.tabs({**drawn, **more(mode)}, key="difficulty_tab")
    question(pick(rows, clicked, *in_table), difficulty, selection, mode)
    show.notes(difficulty.notes, expanded=False)
