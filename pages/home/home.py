"""Home: a small leaderboard that tau moves, the collection at a glance, where to begin, and a rank by an example."""

import streamlit as st

from pages.home import glance as parts
from pages.parts import next_steps, upload
from pages.shared import data, frame, help_texts, show

with frame.page("Home", heading=help_texts.HOME, empty=parts.begin, series=False) as chosen:
    if has_files := upload.has_files():
        parts.uploader(chosen)
    else:
        with st.container(key="welcome"):
            st.markdown(help_texts.WELCOME)
    show.unreadable(chosen)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        parts.tau(chosen)
        found = data.compare(chosen)
        parts.board(found, chosen)
    with right:
        if not has_files:
            parts.first_steps()
        lines = parts.known(found, chosen)
    next_steps.draw(chosen)
    if not has_files:
        parts.uploader(chosen)
    parts.example(found, chosen)
    parts.cards()
    with lines:
        parts.flagged(chosen)
    parts.hold(chosen)
