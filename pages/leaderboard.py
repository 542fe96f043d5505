"""Leaderboard: runs by several grading modes, against a reference (EXAM++, figure 2)."""

import streamlit as st

from exam_core.charts.leaderboard import leaderboard_alternative, leaderboard_figure
from pages.shared import data, frame, show

with frame.page("Leaderboard") as chosen:
    show.choice(chosen)
    found = data.compare(chosen)
    show.problems(found.problems)
    if found.boards:
        frames = {name: board.rows for name, board in found.boards.items()}
        st.plotly_chart(
            leaderboard_figure(frames, found.order, raw=chosen.raw, reference=chosen.reference),
            alt=leaderboard_alternative(frames, found.order, chosen.reference),
            key="leaderboard_chart",
        )
        show.correlations(found, chosen.reference)
        show.agreements(found, chosen)
        show.boards(found.boards, chosen)
        show.notes(found.notes)
