"""What tells a run from its neighbours in the reference."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.outliers import named
from exam_core.wings.explanations.explanation import (
    PASSAGES,
    QUERIES,
    QUESTIONS,
    Explanation,
    contributions_figure,
    explain,
)
from pages.shared import data, naming, show
from pages.shared.chosen import Chosen

SHOWN_QUERIES = 12
"""Queries in the chart."""


def draw(chosen: Chosen, choice: Evaluation, run: str) -> None:
    """Queries, questions and passages that tell a run from its neighbours."""
    found = data.ask(explain, chosen.snapshot, choice, run)
    beside = ", ".join(found.neighbours) or "none"
    show.text(f"Compared with runs of similar rank in {naming.reference(found.reference)}: {beside}.")
    (title,) = named((choice,), naming.names())
    _queries(found, title)
    _questions(found)
    _passages(found)
    show.notes(found.notes)


def _queries(found: Explanation, method: str) -> None:
    st.markdown("## Queries that move the run most")
    show.chart(contributions_figure(found.queries, found.run_id, method, SHOWN_QUERIES), key="outliers_queries_chart")
    show.table(show.worded(found.queries), QUERIES, key="outliers_queries")


def _questions(found: Explanation) -> None:
    if found.questions.empty:
        return
    st.markdown("## Questions that the run answers and most neighbours don't, or the reverse")
    columns = ("query_id", "question_text", "answered", "neighbours_answering", "question_id")
    show.table(show.worded(found.questions, *columns), QUESTIONS, key="outliers_questions")


def _passages(found: Explanation) -> None:
    if found.passages.empty:
        return
    st.markdown("## Passages that explain the run's rank")
    show.table(show.worded(found.passages), PASSAGES, key="outliers_passages")
