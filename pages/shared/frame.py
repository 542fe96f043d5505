"""The search box on top of every page; what is found has a page of its own, at the address `search`."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from exam_core.errors import ExamboardError, NoQuestions
from pages.mending import PLAIN, script_bundle
from pages.shared import (
    controls,
    data,
    help_texts,
    missing,
    naming,
    scrolling,
    share_and_export,
    show,
    steps,
    visiting,
    wings,
)
from pages.shared.components import component
from pages.shared.menu import PAGES
from pages.shared.selection import Selection
from pages.shared.wings import Page

SEARCH, SEARCH_PARAMETER, BOX = "pages/search/search.py", "search_text", "search_for"
LABEL = "Search"


def draw_search() -> None:
    """The box. What is typed leads to the page, and the box is empty again."""
    st.text_input(
        LABEL,
        key=BOX,
        type="search",
        icon=":material/search:",
        placeholder=LABEL,
        label_visibility="collapsed",
        on_change=_take_search,
    )
    if text := st.session_state.pop(_ASKED, ""):
        st.switch_page(SEARCH, query_params={SEARCH_PARAMETER: text})


_ASKED = "a search was asked for"


def _take_search() -> None:
    if text := st.session_state[BOX].strip():
        st.session_state.update({BOX: "", _ASKED: text})


ICON, LOGO = (
    f"data:image/svg+xml;base64,{b64encode(Path(__file__).with_name(name).read_bytes()).decode()}"
    for name in ("icon.svg", "logo.svg")
)
"""The mark alone, and with the name beside it, whose ink is that of the light or the dark theme."""
MEETING = 0.15
"""Seconds that a browser gets to meet its first component: less than what its first chart would wait for otherwise."""
FIRST = PAGES[0].name
"""The page at the address without a name."""
MET = "first component"
DRAWN = "drawn by app.py"
SENT = 0.05
"""Seconds after which Streamlit has sent an address; another run would drop it before."""
KEPT = "choices of the address that the browser does not know yet"
_browser = component("frame", __file__)


def greet() -> None:
    """Draw the first component of all, which nobody sees, and let a new visitor's browser meet it alone.

    React draws what waits for a script together, half a second after the last such thing began to wait. A chart is a
    component: one that comes together with this one waits with all widgets of the bar, one that comes later does not.

    The icon comes before the links: Streamlit takes that of the page's link otherwise, from Google's server.
    """
    st.set_page_config(page_icon=ICON, layout="wide")
    st.logo(LOGO, size="large", icon_image=LOGO)
    with st.sidebar:
        _browser(key="frame", data={"plain": PLAIN})
    st.html(naming.STYLE)
    if PLAIN:
        st.html(f"<style>{script_bundle.style()}</style>")
        return
    if MET not in st.session_state:
        st.session_state[MET] = True
        time.sleep(MEETING)


def surround(page: Page) -> Selection | None:
    """Draw the control bar as far as a page uses it, and what stands top right; None where the store is empty."""
    visiting.let_in()
    problem = ""
    with st.sidebar:
        try:
            selection = controls.draw(page.bar)
        except ExamboardError as error:
            problem = str(error)
    if problem:
        # Not in the bar, which may be folded away; another collection can be chosen there.
        show.problems(problem.splitlines())
        st.stop()
    if selection and not wings.is_instead():
        with st.container(horizontal=True, gap="xsmall", key="top"):
            if page.path != SEARCH:
                draw_search()
            wings.draw("draw_top", selection, page.title)
            share_and_export.draw(selection)
    if selection:
        share_and_export.files_of(selection)
    share_and_export.check_address(selection)
    return selection


def surround_page(page: StreamlitPage) -> None:
    """For app.py: draw what surrounds the page that follows in this run."""
    _keep_choices(page)
    name = page.url_path or FIRST
    st.session_state[DRAWN] = surround(next(item for item in PAGES if item.name == name))
    # What is at its default leaves the address, and what has no widget is no choice of the bar.
    (path, entry), groups = st.session_state[KEPT], _address()
    st.session_state[KEPT] = path, {name: groups[name] for name in entry if name in groups and name in st.session_state}


def _keep_choices(page: StreamlitPage) -> None:
    """Give a page the choices of the address that was opened, where a link was clicked before the bar was there.

    The browser takes along what its widgets know. Of those that it has not built yet it knows nothing, neither
    values nor names, and drops their part of the address. So the session remembers that part until the browser
    has brought all of it to another page.
    """
    groups = _address()
    before, entry = st.session_state.get(KEPT, (page.url_path, groups))
    lost = {name: value for name, value in entry.items() if name not in groups}
    if before == page.url_path:
        # The same page: what is not in the address any more was set to its default.
        st.session_state[KEPT] = page.url_path, {name: groups[name] for name in entry if name in groups}
    elif lost:
        st.session_state[KEPT] = page.url_path, entry
        st.query_params.update(lost)
        time.sleep(SENT)
        st.rerun()
    else:
        st.session_state[KEPT] = page.url_path, {}
        missing.forget()


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


@contextmanager
def page(
    title: str, *, heading: str = "", empty: Callable[[], None] | None = None, series: bool = True
) -> Iterator[Selection]:
    """Draw a page: title, what to do where there is nothing to show, a sentence where something is wrong.

    Parameters
    ----------
    heading : in the place of the title that the menu has
    empty : what the page can still do where the store is empty
    series : whether the page is about the chosen series, so that it has to say where none is chosen
    """
    row = next(item for item in PAGES if item.title == title)
    if DRAWN not in st.session_state:
        greet()
        st.session_state[DRAWN] = surround(row)
    choice = st.session_state.pop(DRAWN)
    st.set_page_config(page_title=heading or f"{title} - Examboard")
    if choice is not None and wings.draw("draw_instead", choice, title):
        st.stop()
    st.title(heading or title)
    if choice is None:
        if not heading:  # Home builds the demo.
            st.info(help_texts.EMPTY_STORE)
            show.command(help_texts.DEMO_COMMAND)
        if empty:
            empty()
        st.stop()
    if series and not choice.series:
        if choice.figures.series():
            st.info(help_texts.NO_SERIES.format(choice.words.series.lower()))
        else:
            steps.missing(choice)
            st.stop()
    unjudged = title == "Agreement" and "judgments" in {lack.what for lack in steps.lacks(choice)}
    if row.needs_grades and (choice.by_judgments or unjudged):
        steps.missing(choice, row.needs_grades, ("judgments",) if unjudged else steps.OF_GRADES)
        st.stop()
    try:
        yield choice
    except ExamboardError as error:
        show.problems([str(error)])
        if isinstance(error, NoQuestions):
            steps.switch_measure(choice)
    scrolling.draw()
    data.settle(title)
