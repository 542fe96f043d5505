"""What surrounds every page: its title, the links to the others, the control bar, and how errors are shown.

app.py draws links and control bar, because widgets of the entry file keep their values and their part of
the address when the page changes. When the first visitor after a start comes by a deep link, Streamlit
takes the folder `pages` for an old-style app and opens the page without app.py: then the page goes
through app.py once and comes back. A page that is run as a file of its own draws everything itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.navigation.page import StreamlitPage

from exam_core.errors import ExamboardError
from pages.shared import controls, data, missing, presenting, scrolling, sharing, show, words
from pages.shared.chosen import Chosen

ICON = Path(__file__).with_name("icon.svg")
GROUPS = {
    "": (("pages/overview.py", "Overview", ":material/home:"),),
    "Results": (
        ("pages/leaderboard.py", "Leaderboard", ":material/leaderboard:"),
        ("pages/compare.py", "Compare", ":material/compare_arrows:"),
        ("pages/outliers.py", "Outliers", ":material/person_search:"),
        ("pages/nuggets.py", "Nuggets", ":material/fact_check:"),
        ("pages/generated.py", "Generated answers", ":material/auto_awesome:"),
    ),
    "How sure?": (
        ("pages/cutoffs.py", "Cutoffs", ":material/tune:"),
        ("pages/correlation.py", "Correlation", ":material/scatter_plot:"),
        ("pages/stability.py", "Stability", ":material/ssid_chart:"),
        ("pages/agreement.py", "Agreement", ":material/grid_on:"),
    ),
    "Read and check": (
        ("pages/evidence.py", "Evidence", ":material/find_in_page:"),
        ("pages/difficulty.py", "Question difficulty", ":material/quiz:"),
        ("pages/banks.py", "Question banks", ":material/edit_note:"),
        ("pages/reviews.py", "Reviews", ":material/rate_review:"),
    ),
    "Data": (
        ("pages/grading.py", "Grading", ":material/grading:"),
        ("pages/reproduce.py", "Reproduce", ":material/verified:"),
    ),
}
"""File, title and icon of each page, by the menu that it is in."""
PAGES = tuple(page for pages in GROUPS.values() for page in pages)
"""The same in the order in which a presentation turns them."""
STYLE = """
<style>
[data-tag] { background: transparent; border: 1px solid currentColor; color: inherit; }
[data-tag] * { color: inherit; }
[data-testid="stHtml"] table { border-collapse: collapse; font-size: 0.85rem; }
[data-testid="stHtml"] caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
[data-testid="stHtml"] .untitled caption { position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%); }
[data-testid="stHtml"] :is(th, td) { padding: 0.25rem 0.6rem; border-bottom: 1px solid rgba(128, 128, 128, 0.4); }
[data-testid="stHtml"] td { max-width: 20rem; overflow-wrap: anywhere; }
[data-testid="stElementToolbar"] button[aria-label^="Download as CSV"] { display: none; }
</style>
"""
"""Names that are chosen: Streamlit's white on the dark theme's blue is hard to read. Tables: Streamlit's own
download writes formulas as they are; ours is below each table."""
DRAWN, WANTED = "drawn by app.py", "page that was asked for"
SENT = 0.05
"""Seconds after which Streamlit has sent an address; another run would drop it before."""
KEPT = "choices of the address that the browser does not know yet"
HISTORY = f'<script type="module">{Path(__file__).with_name("history.js").read_text(encoding="utf-8")}</script>'


def surround() -> Chosen | None:
    """Draw links and control bar; None where the store is empty."""
    st.html(STYLE)
    problem = ""
    with st.sidebar:
        try:
            chosen = controls.draw()
            sharing.draw(chosen)
            st.html(HISTORY, unsafe_allow_javascript=True)  # a text of ours, which nothing is put into
        except ExamboardError as error:
            problem = str(error)
    if problem:
        # Not in the bar, which may be folded away; another collection can be chosen there.
        show.problems(problem.splitlines())
        st.stop()
    sharing.check_address(chosen)
    return chosen


def surround_page(page: StreamlitPage) -> None:
    """For app.py: draw what surrounds the page that follows in this run."""
    if (wanted := st.session_state.pop(WANTED, None)) and not page.url_path:
        st.switch_page(wanted[0], query_params=wanted[1])
    _keep_choices(page)
    st.session_state[DRAWN] = surround()
    # What is at its default leaves the address, and what has no widget is no choice of the bar.
    (path, kept), said = st.session_state[KEPT], _address()
    st.session_state[KEPT] = path, {name: said[name] for name in kept if name in said and name in st.session_state}


def _keep_choices(page: StreamlitPage) -> None:
    """Give a page the choices of the address that was opened, where a link was clicked before the bar was there.

    The browser takes along what its widgets know. Of those that it has not built yet it knows nothing, neither
    values nor names, and drops their part of the address. So the session remembers that part until the browser
    has brought all of it to another page.
    """
    said = _address()
    before, kept = st.session_state.get(KEPT, (page.url_path, said))
    lost = {name: value for name, value in kept.items() if name not in said}
    if before == page.url_path:
        # The same page: what is not in the address any more was set to its default.
        st.session_state[KEPT] = page.url_path, {name: said[name] for name in kept if name in said}
    elif lost:
        st.session_state[KEPT] = page.url_path, kept
        st.query_params.update(lost)
        time.sleep(SENT)
        st.rerun()
    else:
        st.session_state[KEPT] = page.url_path, {}
        missing.forget()


def _address() -> dict[str, list[str]]:
    """The parameters of the address, each with its values."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _go_through_app(path: str) -> None:
    """Let app.py take over; does nothing where the page is the whole app."""
    st.session_state[WANTED] = (path, _address())
    st.session_state.setdefault(KEPT, (PurePath(path).stem, _address()))
    with suppress(StreamlitAPIException):
        st.switch_page("app.py")
    del st.session_state[WANTED]


@contextmanager
def page(title: str, *, empty: Callable[[], None] | None = None, series: bool = True) -> Iterator[Chosen]:
    """Draw a page: title, what to do where there is nothing to show, a sentence where something is wrong.

    Parameters
    ----------
    empty : what the page can still do where the store is empty
    series : whether the page is about the chosen series, so that it has to say where none is chosen
    """
    if DRAWN not in st.session_state:
        _go_through_app(next(path for path, label, _ in PAGES if label == title))
        st.session_state[DRAWN] = surround()
    chosen = st.session_state.pop(DRAWN)
    st.set_page_config(page_title=f"{title} - Examboard", page_icon=str(ICON), layout="wide")
    if chosen is not None and chosen.present:
        presenting.draw([(path, label) for path, label, _ in PAGES], title)
    st.title(title)
    if chosen is None:
        st.info(words.EMPTY_STORE)
        show.command(words.DEMO_COMMAND)
        if empty:
            empty()
        st.stop()
    if series and not chosen.series:
        st.info(words.NO_SERIES)
    try:
        yield chosen
    except ExamboardError as error:
        show.problems([str(error)])
    scrolling.draw()
    data.settle(title)
