"""How far each grader is, its grades, and its answers that could not be read."""

from __future__ import annotations

import streamlit as st

from exam_core.charts.query_differences import ratings_alternative, ratings_figure
from exam_core.jobs import grade_coverage
from exam_core.wording import counted
from pages.parts.job_form import GRADER
from pages.shared import data, naming, show
from pages.shared.selection import Selection

OF = "grading_of"
ROWS = 6
"""Rows of the table that are seen at once, of more the last one by half, so that the form is in view."""
ANSWER = 300
"""Characters of an unreadable answer that are shown; its export has all."""
GRADED_BY = "The grading mode to show: its grades of the chosen bank, or its labels of whole passages."
IN_PART = f"The first {ANSWER} characters of the model's answer; the export has all of it."


def so_far(selection: Selection) -> None:
    """How far each grader is in the chosen collection and bank."""
    contents = data.ask(grade_coverage.coverage, data.snapshot(selection.snapshot.collection), selection.bank_name)
    if contents.empty:
        name = f", bank {selection.bank_name}" if selection.request.bank else ""
        show.text(f"{selection.snapshot.collection}{name} has no grades yet.")
        return
    show.text("", headline=grade_coverage.headline(contents))
    shown = contents[["grader_id", "graded", "missing", "unreadable"]]
    look = show.TableLook(
        height=show.height_of(len(contents)) if len(contents) <= ROWS else show.height_of(ROWS) - show.ROW // 2
    )
    show.table(shown, grade_coverage.COVERAGE, key="grading_held", look=look, export=contents)


def results(selection: Selection) -> None:
    """The grades of one grader, and its answers that could not be read."""
    snapshot = data.snapshot(selection.snapshot.collection)
    contents = data.ask(grade_coverage.coverage, snapshot, selection.bank_name)["grader_id"].tolist()
    if not contents:
        show.text("There are no grades yet.")
        return
    if (coming := st.session_state.get(GRADER)) in contents:
        st.session_state[OF], st.session_state[GRADER] = coming, None
    grader = naming.box(st.selectbox, "Grading mode", contents, key=OF, help=GRADED_BY)
    rows = data.ask(grade_coverage.ratings, snapshot, grader, selection.bank_name)
    show.chart(ratings_figure(rows), key="grading_ratings", alt=f"{naming.name(grader)}. {ratings_alternative(rows)}")
    *_, unread = rows.itertuples()
    show.text(
        f"{unread.count:,} of {counted({'grades are': int(rows['count'].sum())})} unreadable ({unread.share:.1%})."
    )
    if not unread.count:
        return
    show.table(
        data.ask(grade_coverage.reasons, snapshot, grader, selection.bank_name),
        grade_coverage.REASONS,
        key="grading_reasons",
    )
    answers = data.ask(grade_coverage.unreadable_answers, snapshot, grader, selection.bank_name)
    more = f"; the first {len(answers):,}" if len(answers) == grade_coverage.LISTED else ""
    st.caption(f"Its unreadable answers, the most frequent first{more}.")
    in_part = [text if len(text) <= ANSWER else f"{text[:ANSWER]}…" for text in answers["answer"]]
    rows, of = answers.assign(answer=in_part), grade_coverage.ANSWERS.changed(answer={"help": IN_PART})
    show.table(rows, of, key="grading_unreadable_answers", export=answers)
