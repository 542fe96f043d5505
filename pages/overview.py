"""Overview: what is loaded, where it came from, and what to do next."""

import streamlit as st

from pages.shared import data, frame, show, words

with frame.page("Overview") as chosen:
    st.markdown(words.WELCOME)
    names = data.collections()
    show.holdings([data.about(data.snapshot(name)) for name in names])
    show.next_steps(chosen)
    st.subheader("Where it came from")
    for name in names:
        show.sources(name, data.snapshot(name).sources)
    st.subheader("Add your own")
    show.import_commands()
