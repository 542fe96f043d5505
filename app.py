"""The dashboard. Start it with `make run`, or: streamlit run app.py"""

import streamlit as st

# The pages draw their own links (pages/shared/frame.py), so that they look the same without this file.
st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/leaderboard.py", title="Leaderboard"),
    ],
    position="hidden",
).run()
