"""The dashboard. Start it with `make run`, or: streamlit run app.py"""

import streamlit as st

from pages.shared import frame

page = st.navigation(
    [st.Page(path, title=title, default=not place) for place, (path, title, _) in enumerate(frame.PAGES)],
    position="top",
)
frame.surround_page(page)
page.run()
