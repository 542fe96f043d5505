"""How many graders the grading modes are worth together: a part of the page Agreement."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.wings.trust import votes as charts
from exam_core.wings.trust.slides import votes_lines
from exam_core.wings.trust.votes import PAIRS, ROWS, THRESHOLDS, Votes, voters, votes
from pages.shared import data, doing, naming, show
from pages.shared.selection import Selection

VOTERS = (
    "Grading modes that vote, each at its default tau (one below the largest grade). Empty: the modes over the bank's "
    "questions, or the modes over whole passages where these are more."
)
ABOUT = (
    "Modes that err on the same passages count as fewer votes; copies of one mode count as one. Correlation of "
    "errors: phi coefficient of right and wrong (Kuncheva & Whitaker 2003)."
)
ADD = (
    "Adds the majority vote to the grading modes of the bar: 1 where more than half of the modes find a passage "
    "relevant, else 0. Passages that a mode has not graded stay ungraded."
)


def view(selection: Selection) -> None:
    """What the grading modes are worth together."""
    modes = [mode for mode, _ in selection.about.get("graded_banks", {}).items()]
    if not modes:
        return
    first = data.ask(voters, selection.snapshot, selection.request.bank)
    picked = naming.box(st.multiselect, "Grading modes that vote", modes, default=first, key="voters", help=VOTERS)
    result = data.ask_slowly("Reading grades", votes, selection.snapshot, tuple(picked or first), selection.request)
    st.caption(ABOUT)
    for line in votes_lines(result):
        show.text(naming.sentence(line))
    if len(result.graders) > 1:
        _together(result)
    show.notes(result.notes)


def _together(result: Votes) -> None:
    if result.judged:
        rows = naming.named(result.rows)
        show.chart(charts.accuracy_figure(rows), key="votes_accuracy")
    show.table(result.rows, ROWS, key="votes")
    _add(result.majority)
    pairs, graders = naming.named(result.pairs), [naming.name(grader) for grader in result.graders]
    for column in charts.MATRICES if result.judged else ("kappa",):
        show.chart(charts.matrix_figure(pairs, graders, column), key=f"votes_{column}")
    with st.expander("Every pair, and other majorities", key="votes_tables"):
        show.table(result.pairs, PAIRS, key="votes_pairs")
        if result.judged:
            show.table(result.thresholds, THRESHOLDS, key="votes_thresholds")


def _add(majority: str) -> None:
    """A button that evaluates the majority as a grading mode."""
    modes = st.session_state.get("modes", [])
    look: dict[str, Any] = {"icon": "how_to_vote", "help": ADD, "disabled": majority in modes}
    wanted = {"modes": [*modes, majority]}
    doing.button("Majority as a grading mode", st.session_state.update, wanted, key="votes_add", **look)
