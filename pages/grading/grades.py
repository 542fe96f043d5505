"""How far each grader is, its grades, its answers that could not be read, and what graders are called."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.actions import tagging
from exam_core.aliases import LONGEST_ALIAS
from exam_core.analysis.contents import DISPLAY_NAMES, display_names
from exam_core.charts.query_differences import ratings_alternative, ratings_figure
from exam_core.jobs import grade_coverage
from exam_core.wording import counted
from pages.parts.job_form import GRADER
from pages.shared import boxes, data, doing, naming, show, visiting
from pages.shared.selection import Selection

TABLE, SAID, REFUSED = "grader_names", "graders: what was done", "graders: why not"
HOW = (
    "Click a name to change it; an empty name is guessed from the id. Charts, tables and LaTeX show names to all users "
    "of this store; links, commands, CSV and JSON keep the ids."
)


def draw_names(selection: Selection) -> None:
    """The names of the collection's grading modes, folded away; nothing where nobody graded."""
    snapshot = data.snapshot(selection.snapshot.collection)
    rows = display_names(snapshot)
    if rows.empty:
        return
    text = st.session_state.get(SAID)
    if text and (text.collection != snapshot.collection or naming.name(text.grader) != text.alias):
        text = None
    opened = bool(REFUSED in st.session_state or text)
    with boxes.options("Names of grading modes", icon=":material/label:", key="grader_names_box", opened=opened):
        refused = doing.refused(REFUSED)
        if text:
            back = text.collection, text.grader, text.given_before
            doing.way_back(text.sentence, _undo, *back, key="grader_names_undo")
        if data.store().is_file or not visiting.allowed("edit"):
            show.table(rows, DISPLAY_NAMES, key=TABLE)
            return
        st.caption(HOW)
        shown = {
            "alias": st.column_config.TextColumn(
                DISPLAY_NAMES["alias"].label, help=DISPLAY_NAMES["alias"].help, max_chars=LONGEST_ALIAS, width="medium"
            ),
            "grader": st.column_config.TextColumn(
                DISPLAY_NAMES["grader"].label, help=DISPLAY_NAMES["grader"].help, width="large"
            ),
            "given": st.column_config.CheckboxColumn(DISPLAY_NAMES["given"].label, help=DISPLAY_NAMES["given"].help),
        }
        key = f"{TABLE}_{hash(snapshot.aliases)}_{refused}"
        doing.write_over(rows, "grader", "alias", partial(_name, snapshot.collection), shown, key=key)


def _undo(collection: str, grader: str, alias: str) -> None:
    _name(collection, grader, alias)
    st.session_state.pop(SAID, None)


def _name(collection: str, grader: str, alias: str | None) -> None:
    with doing.refusing(REFUSED):
        st.session_state[SAID] = tagging.name_grader(data.store(), collection, grader, alias or "")
    naming.use(data.snapshot(collection))


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
