"""The dashboard. Start it with `make run`, or: streamlit run app.py"""

import streamlit as st

from pages.shared import frame

page = st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/leaderboard.py", title="Leaderboard"),
    ],
    position="hidden",
)
frame.surround_page()
page.run()
