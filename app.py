"""The dashboard. Start it with `make run`, or: streamlit run app.py"""

import streamlit as st

if __name__ == "__main__":  # Streamlit runs the file for a visitor, at each of their clicks.
    from pages.shared import frame, menu

    frame.greet()
    # On a narrow screen the links are in the bar, all of them.
    page = st.navigation(menu.pages(), position="top", expanded=True)
    frame.surround_page(page)
    page.run()
else:  # Its server imports it once, and takes `app`.
    from pages.shared import guarding, recording

    app = st.App(__file__, middleware=guarding.MIDDLEWARE, lifespan=guarding.opened, on_script_error=recording.tell)
