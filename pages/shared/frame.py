"""What surrounds every page: its title, the links to the others, and how errors are shown.

Streamlit opens a page without app.py when the first visitor after a start comes by a deep link, so a
page sets all of this itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from exam_core.errors import ExamboardError
from pages.shared import data, show

ICON = Path(__file__).with_name("icon.svg")
PAGES = (
    ("pages/overview.py", "Overview", ":material/home:"),
    ("pages/leaderboard.py", "Leaderboard", ":material/leaderboard:"),
)


@contextmanager
def page(title: str) -> Iterator[None]:
    """Draw a page: title, links, and a sentence instead of a traceback where something can't be done."""
    st.set_page_config(page_title=f"{title} - Examboard", page_icon=str(ICON), layout="wide")
    data.settle()
    with st.sidebar:
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=icon)
    st.title(title)
    try:
        yield
    except ExamboardError as error:
        show.problems([str(error)])
