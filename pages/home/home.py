"""Home: a small leaderboard that tau moves, the collection at a glance, where to begin, and a rank by an example."""

import streamlit as st

from pages.home import glance as parts
from pages.parts import next_steps, upload
from pages.shared import data, frame, help_texts, show

with frame.page("Home", heading=help_texts.HOME, empty=parts.begin, series=False) as selection:
    if has_files := upload.has_files():
        parts.uploader(selection)
    else:
        with st.container(key="welcome"):
            st.markdown(help_texts.WELCOME)
    show.unreadable(selection)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        parts.tau(selection)
        comparison = data.compare(selection)
        parts.board(comparison, selection)
    with right:
        if not has_files:
            parts.first_steps()
        lines = parts.known(comparison, selection)
    next_steps.draw(selection)
    if not has_files:
        parts.uploader(selection)
    parts.example(comparison, selection)
    parts.cards()
    with lines:
        parts.flagged(selection)
    parts.hold(selection)
