"""What if some questions were switched off: leaderboard, correlations and labels beside those as they are."""

from __future__ import annotations

from functools import partial

import streamlit as st

from exam_core.analysis.other_labels import RELABELLED, ROWS
from exam_core.table_text import Frame, plain
from exam_core.wings.comparing.two_boards import AS_IS, WITHOUT, before_and_after, ranks_figure
from exam_core.wings.comparing.whatif import WhatIf, bank_questions, whatif, whatif_summary
from pages.shared import data, naming, passage_texts, show, steps
from pages.shared.selection import Selection

OFF = (
    "Recomputes the leaderboard and all labels without these questions, in all queries that have them. Nothing is "
    "stored. To keep a change, edit the bank on the page Questions."
)
OF_QUERY = "Lists the questions of this query; the bank has too many to list all."
MOST = 2000
"""Questions that one list offers."""


def draw(selection: Selection) -> None:
    """Questions to switch off, and what that changes."""
    choice = selection.of(show.mode(selection, of_one=False))
    if choice.grading.is_direct or not choice.of_grades:
        show.text(
            "There are no questions to switch off: labels here are of whole passages, or the measure uses no grades."
        )
        if selection.by_judgments:
            steps.missing(selection, needed=steps.OF_GRADES)
        return
    drop = _questions(data.ask(bank_questions, selection.snapshot, choice))
    if not drop:
        show.text("Choose questions to see what the leaderboard would be without them.")
        return
    what_if = data.ask(whatif, selection.snapshot, choice, drop=frozenset(drop))
    for sentence in whatif_summary(what_if):
        show.text(naming.sentence(sentence))
    ranks = selection.shown(before_and_after(what_if))
    show.chart(ranks_figure(ranks, AS_IS, WITHOUT), key="whatif_ranks")
    st.caption(f"A: the leaderboard {AS_IS}. B: {WITHOUT}.")
    rows = selection.shown(what_if.rows)
    board = partial(show.table, show.filled(rows), ROWS, key="whatif_rows", export=rows)
    show.tabs({"All runs": board, "Labels that change": partial(_labels, what_if)}, key="whatif_tab")
    show.notes(what_if.notes, expanded=False)


def _questions(rows: Frame) -> list[str]:
    if len(rows) > MOST:
        query = st.selectbox("Of query", list(dict.fromkeys(rows["query_id"])), key="whatif_query", help=OF_QUERY)
        rows = rows[rows["query_id"] == query]
    texts: dict[str, str] = {}
    for row in plain(rows):
        request = row["question_text"] or row["question_id"]
        texts.setdefault(row["question_id"], f"{row['query_id']}: {request}")
    return naming.box(st.multiselect, "Switch questions off", list(texts), key="whatif_off", help=OFF, called=texts)


def _labels(what_if: WhatIf) -> None:
    rows = what_if.relabelled
    if rows.empty:
        show.text("No label changes: each passage has another question with an equally good grade.")
        return
    passage_texts.of_row(rows, show.table(rows, RELABELLED, key="whatif_labels", select=True))
