"""The switch "As humans would grade", and the corrected leaderboard."""

from __future__ import annotations

import streamlit as st

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.comparison import Comparison
from exam_core.errors import ExamboardError
from exam_core.wings.reviews import corrected as charts
from exam_core.wings.reviews.answers import corrected_sentence
from exam_core.wings.reviews.corrected import ROWS, corrected
from exam_core.wings.reviews.records import Reviews, reviews_of
from pages.leaderboard import board as parts
from pages.shared import data, show, unasked
from pages.shared.selection import Selection

HUMANS = (
    "Estimate of the leaderboard by human grades: the grader's means, corrected by its differences from the reviews of "
    "a random sample of passages, with 95% intervals."
)


def switched_on(selection: Selection) -> Reviews | None:
    """The reviews, where some are on relevance and somebody asks for the board as humans would grade."""
    reviews = reviews_of(data.store(), selection.snapshot)
    if not any(review.task == "relevance" for review in reviews.rows):
        return None
    on = st.toggle("As humans would grade", key="humans", help=HUMANS, bind="query-params")
    return reviews if on else None


def view(selection: Selection) -> None:
    """The corrected leaderboard as a view of the page Reviews, also where nobody has reviewed yet."""
    if not selection.series:
        show.text("Choose a grading mode on the left: reviews correct its leaderboard.")
        return
    choice = selection.computed(selection.series[0])
    if choice:
        draw(choice, selection, reviews_of(data.store(), selection.snapshot))


def board(comparison: Comparison, selection: Selection, reviews: Reviews) -> None:
    """The corrected leaderboard of one series."""
    series = parts.series(comparison, selection)
    if choice := selection.computed(series):
        draw(choice, selection, reviews)


def draw(choice: Evaluation, selection: Selection, reviews: Reviews) -> None:
    """The corrected leaderboard of a choice: chart, table, and how it was made."""
    try:
        result = data.ask(corrected, selection.snapshot, choice, reviews, selection.request.relevant_from)
    except ExamboardError as error:
        show.problems(str(error).splitlines())
        if choice.measure.info.adds is None:
            unasked.switch(selection)
        else:
            show.link("pages/reviews/reviews.py", "Reviews: draw passages and answer", ":material/rate_review:")
        return
    show.text(corrected_sentence(result))
    heading, rows = selection.measure_heading, selection.shown(result.rows)
    show.chart(charts.corrected_figure(rows, heading), key="corrected_chart")
    st.caption(
        "Prediction-powered inference (Angelopoulos et al. 2023; Särndal, Swensson & Wretman 1992). Intervals cover "
        "passages that were not reviewed, not other queries. Those of the chart hold for one run each, the wider ones "
        "of the table for all runs together."
    )
    show.table(rows, ROWS, key="corrected")
    show.notes(list(result.notes))
