"""What surrounds every page: its title, the links to the others, the control bar, and how errors are shown.

app.py draws links and control bar, because widgets of the entry file keep their values and their part of
the address when the page changes. A page that is run as a file of its own draws everything itself.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from exam_core.analysis.figures.protocol import Basis
from exam_core.errors import ExamboardError
from pages.shared import (
    controls,
    data,
    finding,
    missing,
    naming,
    pinning,
    presenting,
    scrolling,
    sharing,
    show,
    steps,
    visiting,
    words,
)
from pages.shared.chosen import Chosen
from pages.shared.menu import PAGES

ICON = f"data:image/svg+xml;base64,{b64encode(Path(__file__).with_name('icon.svg').read_bytes()).decode()}"
MEETING = 0.15
"""Seconds that a browser gets to meet its first component: less than what its first chart would wait for otherwise."""
FIRST = PurePath(PAGES[0][0]).stem
"""The page at the address without a name."""
TAKES_GRADES = {
    "Agreement": "This page compares grades with human judgments.",
    "Questions": "This page tells by grades which questions are hard.",
    "Nuggets": "This page counts by grades which nuggets were found.",
}
"""Pages to which judgments alone have nothing to say, by title, and why."""
BOARDS = "bank series measure tau reference without depth label_rank"
BAR: dict[str, dict[Basis, Collection[str]]] = {
    path: {"grades": of_grades.split(), "print": of_print.split()}
    for path, of_grades, of_print in (
        # Home has a slider of its own, beside its board.
        ("pages/overview.py", "bank series measure", "series"),
        (
            "pages/leaderboard.py",
            f"{BOARDS} runs relevant_from scores order",
            "series tau reference without runs relevant_from scores order",
        ),
        ("pages/compare.py", "bank series measure tau without runs depth label_rank", "series without runs"),
        ("pages/outliers.py", f"{BOARDS} runs", "series reference without runs"),
        ("pages/nuggets.py", "bank series measure without depth", ""),
        ("pages/generated.py", "measure", ""),
        ("pages/methods.py", f"{BOARDS} runs scores relevant_from", "series reference without runs scores"),
        ("pages/order.py", f"{BOARDS} runs", "series reference without runs"),
        ("pages/agreement.py", "bank series measure tau without label_rank relevant_from depth", "tau relevant_from"),
        ("pages/search.py", "bank", ""),
        ("pages/evidence.py", "bank series tau without depth label_rank relevant_from", ""),
        ("pages/difficulty.py", "bank series tau reference without depth", ""),
        ("pages/banks.py", f"{BOARDS} relevant_from", ""),
        ("pages/reviews.py", f"{BOARDS} relevant_from", ""),
        ("pages/holdings.py", "", ""),
        ("pages/grading.py", "bank", ""),
        ("pages/reproduce.py", "", ""),
    )
}
"""What of the bar a page uses, by names of `controls.KEYS`: of figures that are computed, and of printed ones."""
STYLE = """
<style>
.st-key-top { position: fixed; top: 0.65rem; right: 0.75rem; z-index: 999991; width: auto; }
.st-key-top { flex-wrap: nowrap; }
.st-key-search_for { width: 9rem; min-width: 0; flex: none; }
[data-testid="stHeader"] { padding-right: 36rem; }
[data-testid="stMainBlockContainer"] { padding-top: 4rem; padding-bottom: 3rem; }
[data-testid="stMain"] h1 { font-size: 1.75rem; padding: 0.25rem 0; }
[data-testid="stMain"] :is(h2, h3) { font-size: 1.3rem; padding: 0.5rem 0 0.25rem; }
[data-testid="stMetricValue"] { font-size: 1.6rem; }
@media (max-width: 1250px) {
    .st-key-top p { position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%); }
    [data-testid="stHeader"] { padding-right: 15rem; }
    .st-key-search_for:not(:focus-within) { width: 2.6rem; }
    .st-key-search_for:not(:focus-within) input { width: 0; padding: 0; color: transparent; }
    .st-key-search_for:not(:focus-within) input::placeholder { color: transparent; }
}
@media (prefers-color-scheme: dark) { [data-testid^="stBaseButton-primary"]:enabled { color: #11161d; } }
.stApp [data-testid^="stBaseButton-primary"]:enabled { color: light-dark(#fff, #11161d); }
[data-tag] { background: transparent; border: 1px solid currentColor; color: inherit; }
[data-tag] * { color: inherit; }
[data-testid="stHtml"] table { border-collapse: collapse; font-size: 0.85rem; }
[data-testid="stHtml"] caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
[data-testid="stHtml"] .untitled caption { position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%); }
[data-testid="stHtml"] :is(th, td) { padding: 0.25rem 0.6rem; border-bottom: 1px solid rgba(128, 128, 128, 0.4); }
[data-testid="stHtml"] td { max-width: 20rem; overflow-wrap: anywhere; }
[data-testid="stSidebarHeader"] { height: 2.5rem; }
[data-testid="stSidebarUserContent"] { padding: 0 0 1rem; }
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: 0.4rem; }
[data-testid="stSidebar"] [data-testid="stWidgetLabel"] { min-height: 1.25rem; margin-bottom: 0; }
[data-testid="stSidebar"] [data-testid="stButtonGroup"] button { min-height: 1.5rem; padding: 0 0.5rem; }
[data-testid="stSidebar"] [data-testid="stButtonGroup"] button p { font-size: 0.8rem; }
.st-key-own_taus [data-testid="stNumberInput"] { display: flex; align-items: center; gap: 0.5rem; }
.st-key-own_taus [data-testid="stNumberInputContainer"] { flex: 0 0 6.5rem; }
.st-key-own_taus [data-testid="stWidgetLabel"] { flex: 1; }
.stApp :is(a, button, input, summary, [role="slider"], [role="combobox"], [tabindex="0"]):focus-visible {
    outline: 2px solid light-dark(#005f96, #8ccbf5); outline-offset: 2px;
}
@media print {
    :is([data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stElementToolbar"], .st-key-top),
    :is([data-testid="stButton"], [data-testid="stDownloadButton"], [data-testid="stPopover"], .modebar-container),
    .stApp :is([data-testid="stSelectbox"], [data-testid="stMultiSelect"], [data-testid="stTextInput"]),
    .stApp :is([data-testid="stButtonGroup"], [data-testid="stCheckbox"]) { display: none !important; }
    [data-testid="stMain"] :is([data-testid="stVerticalBlock"], [data-testid="stLayoutWrapper"]),
    [data-testid="stMain"] :is([data-testid="stColumn"], [data-testid="stHtml"]) {
        height: auto !important; max-height: none !important; overflow: visible !important; flex-basis: auto;
    }
    [data-testid="stMain"] [data-testid="stVerticalBlock"] { display: block !important; }
    [data-testid="stHtml"] table { font-size: 0.75rem; }
    [data-testid="stHtml"] :is(th, td) { padding: 0.15rem 0.35rem; }
    [data-testid="stHtml"] td[style*="right"] { white-space: nowrap; }
    :is(html, body, #root, .stApp, [data-testid="stAppViewContainer"], [data-testid="stMain"]) {
        position: static !important; display: block !important; height: auto !important; overflow: visible !important;
    }
    [data-testid="stMainBlockContainer"] { max-width: none; padding: 0; zoom: var(--sheet, 0.75); }
    [data-testid="stMainBlockContainer"]::after { content: attr(data-address); overflow-wrap: anywhere; }
    .js-plotly-plot, [data-testid="stDataFrame"], tr { break-inside: avoid; }
    [data-testid="stHtml"] div { overflow: visible !important; height: auto !important; max-height: none !important; }
}
[data-testid="stElementToolbar"] button[aria-label^="Download as CSV"] { display: none; }
</style>
"""
"""Names that are chosen, and buttons: Streamlit's white on the dark theme's blue is hard to read; boxes that open
stand outside of what knows the theme. Tables: Streamlit's own download writes formulas as they are; ours is below."""
MET = "first component"
DRAWN = "drawn by app.py"
SENT = 0.05
"""Seconds after which Streamlit has sent an address; another run would drop it before."""
KEPT = "choices of the address that the browser does not know yet"
_browser = st.components.v2.component(
    "examboard_frame",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def greet() -> None:
    """Draw the first component of all, which nobody sees, and let a new visitor's browser meet it alone.

    React draws what waits for a script together, half a second after the last such thing began to wait. A chart is a
    component: one that comes together with this one waits with all widgets of the bar, one that comes later does not.

    The icon comes before the links: Streamlit takes that of the page's link otherwise, from Google's server.
    """
    st.set_page_config(page_icon=ICON, layout="wide")
    with st.sidebar:
        _browser(key="frame")
    if MET not in st.session_state:
        st.session_state[MET] = True
        time.sleep(MEETING)


def surround(path: str) -> Chosen | None:
    """Draw the control bar as far as a page uses it, and what stands top right; None where the store is empty."""
    st.html(STYLE + naming.STYLE)
    visiting.let_in()
    problem = ""
    with st.sidebar:
        try:
            chosen = controls.draw(BAR[path])
        except ExamboardError as error:
            problem = str(error)
    if problem:
        # Not in the bar, which may be folded away; another collection can be chosen there.
        show.problems(problem.splitlines())
        st.stop()
    if chosen and not chosen.present:
        with st.container(horizontal=True, gap="xsmall", key="top"):
            if path != finding.SEARCH:
                finding.draw()
            controls.draw_present()
            pinning.draw(chosen, next(label for file, label, _ in PAGES if file == path))
            sharing.draw(chosen)
    if chosen:
        sharing.files_of(chosen)
    sharing.check_address(chosen)
    return chosen


def surround_page(page: StreamlitPage) -> None:
    """For app.py: draw what surrounds the page that follows in this run."""
    _keep_choices(page)
    st.session_state[DRAWN] = surround(f"pages/{page.url_path or FIRST}.py")
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


@contextmanager
def page(title: str, *, empty: Callable[[], None] | None = None, series: bool = True) -> Iterator[Chosen]:
    """Draw a page: title, what to do where there is nothing to show, a sentence where something is wrong.

    Parameters
    ----------
    empty : what the page can still do where the store is empty
    series : whether the page is about the chosen series, so that it has to say where none is chosen
    """
    if DRAWN not in st.session_state:
        greet()
        st.session_state[DRAWN] = surround(next(path for path, label, _ in PAGES if label == title))
    chosen = st.session_state.pop(DRAWN)
    st.set_page_config(page_title=f"{title} - Examboard")
    if chosen is not None and chosen.present:
        presenting.draw(chosen, title)
        st.stop()
    st.title(title)
    if chosen is None:
        st.info(words.EMPTY_STORE)
        show.command(words.DEMO_COMMAND)
        if empty:
            empty()
        st.stop()
    if series and not chosen.series:
        if chosen.figures.series():
            st.info(words.NO_SERIES.format(words.SERIES[chosen.basis].lower()))
        else:
            steps.missing(chosen)
            st.stop()
    unjudged = title == "Agreement" and chosen.basis == "grades" and not chosen.about["judgments"]
    if title in TAKES_GRADES and (chosen.by_judgments or unjudged):
        steps.missing(chosen, TAKES_GRADES[title], ("judgments",) if unjudged else steps.OF_GRADES)
        st.stop()
    try:
        yield chosen
    except ExamboardError as error:
        show.problems([str(error)])
    scrolling.draw()
    data.settle(title)
