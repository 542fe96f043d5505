"""What tells a run from its neighbours in the reference."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import method_titles
from exam_core.wings.explanations.explanation import (
    PASSAGES,
    QUERIES,
    QUESTIONS,
    Explanation,
    contributions_figure,
    explain,
)
from pages.shared import data, naming, show
from pages.shared.selection import Selection

SHOWN_QUERIES = 12
"""Queries in the chart."""


def draw(selection: Selection, choice: Evaluation, run: str) -> None:
    """Queries, questions and passages that tell a run from its neighbours."""
    explanation = data.ask(explain, selection.snapshot, choice, run)
    beside = ", ".join(explanation.neighbours) or "none"
    show.text(f"Compared with runs of similar rank in {naming.reference(explanation.reference)}: {beside}.")
    (title,) = method_titles((choice,), naming.names())
    _queries(explanation, title)
    _questions(explanation)
    _passages(explanation)
    show.notes(explanation.notes)


def _queries(explanation: Explanation, method: str) -> None:
    st.markdown("## Queries that move the run most")
    show.chart(
        contributions_figure(explanation.queries, explanation.run_id, method, SHOWN_QUERIES),
        key="outliers_queries_chart",
    )
    show.table(show.worded(explanation.queries), QUERIES, key="outliers_queries")


def _questions(explanation: Explanation) -> None:
    if explanation.questions.empty:
        return
    st.markdown("## Questions that the run answers and most neighbours don't, or the reverse")
    columns = ("query_id", "question_text", "answered", "neighbours_answering", "question_id")
    show.table(show.worded(explanation.questions, *columns), QUESTIONS, key="outliers_questions")


def _passages(explanation: Explanation) -> None:
    if explanation.passages.empty:
        return
    st.markdown("## Passages that explain the run's rank")
    show.table(show.worded(explanation.passages), PASSAGES, key="outliers_passages")
