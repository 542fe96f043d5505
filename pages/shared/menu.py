"""Which pages there are, and which of them the menu shows: those that the collection can fill.

The addresses of the others work all the same, and such a page says what it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from exam_core.analysis.figures import figures_of
from exam_core.analysis.holdings.needs import has_questions, is_graded
from exam_core.analysis.printed.reproduction import is_reproduced
from exam_core.errors import ExamboardError
from exam_core.store import Snapshot
from exam_core.store.summary import graders, qrels_ids, run_ids
from exam_core.wording import METHODS, ORDER
from pages.shared import data, wings

GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "": (("pages/overview.py", "Home", ":material/home:"),),
    "Results": (
        ("pages/leaderboard.py", "Leaderboard", ":material/leaderboard:"),
        ("pages/compare.py", "Compare", ":material/compare_arrows:"),
        ("pages/outliers.py", "Outliers", ":material/person_search:"),
    ),
    "How sure?": (
        ("pages/methods.py", METHODS, ":material/tune:"),
        ("pages/order.py", ORDER, ":material/ssid_chart:"),
        ("pages/agreement.py", "Agreement", ":material/grid_on:"),
    ),
    "Read and check": (
        ("pages/evidence.py", "Passages", ":material/find_in_page:"),
        ("pages/difficulty.py", "Questions", ":material/quiz:"),
        ("pages/banks.py", "Banks", ":material/edit_note:"),
    ),
    "Data": (
        ("pages/holdings.py", "Collections", ":material/inventory_2:"),
        ("pages/grading.py", "Grading", ":material/grading:"),
        ("pages/reproduce.py", "Reproduce", ":material/verified:"),
        ("pages/search.py", "Search", ":material/search:"),
    ),
}
"""File, title and icon of each page, by the menu that it is in."""
for _page_of_wing in wings.pages():
    GROUPS[_page_of_wing.group] += ((_page_of_wing.path, _page_of_wing.title, _page_of_wing.icon),)
PAGES = tuple(page for pages in GROUPS.values() for page in pages)
EVERYWHERE, NOWHERE = ("Home", "Collections"), ("Search",)
"""Pages that an empty store has, too; and those that the head of each page leads to."""


def _computed(snapshot: Snapshot) -> bool:
    return figures_of(snapshot).basis == "grades"


def _ranked(snapshot: Snapshot) -> bool:
    return not _computed(snapshot) or bool(run_ids(snapshot))


def _judged_and_graded(snapshot: Snapshot) -> bool:
    """Whether there are two sides that can agree: labels and judgments, or a printed table of them."""
    if _computed(snapshot):
        return bool(qrels_ids(snapshot)) and bool(graders(snapshot))
    return is_graded(snapshot)


TAKES: dict[str, Callable[[Snapshot], bool]] = {
    "Compare": _ranked,
    "Outliers": _ranked,
    METHODS: _ranked,
    ORDER: _ranked,
    "Agreement": _judged_and_graded,
    "Passages": _computed,
    "Questions": has_questions,
    "Banks": _computed,
    "Grading": _computed,
    "Reproduce": is_reproduced,
    **{page.title: page.takes for page in wings.pages()},
}
"""Whether a collection has what a page is about, by the page's title; the others are about any."""


def filled(snapshot: Snapshot) -> frozenset[str]:
    """The titles of the pages that a collection can fill."""
    titles = {title for _, title, _ in PAGES if title not in NOWHERE}
    return frozenset(title for title in titles if title not in TAKES or TAKES[title](snapshot))


def _shown() -> frozenset[str]:
    """The titles in the menu, for the collection that the bar or the address names; all where it can't be read."""
    with suppress(ExamboardError):
        names = data.collections()
        asked = st.session_state.get("collection") or st.query_params.get("collection")
        if not names:
            return frozenset(EVERYWHERE)
        found: frozenset[str] = data.ask(filled, data.snapshot(asked if asked in names else names[0]))
        return found
    return frozenset(title for _, title, _ in PAGES if title not in NOWHERE)


_MADE: dict[tuple[str, bool], StreamlitPage] = {}


def pages() -> dict[str, list[StreamlitPage]]:
    """The pages by menu, for one run: Streamlit looks for a page's file when it is made, and lets it be run once."""
    shown = _shown()
    return {group: [_page(*one, first=not group, shown=shown) for one in listed] for group, listed in GROUPS.items()}


def _page(path: str, title: str, icon: str, *, first: bool, shown: frozenset[str]) -> StreamlitPage:
    visible = title in shown
    if (path, visible) not in _MADE:
        make = partial(st.Page, path, title=title, icon=icon, default=first)
        _MADE[path, visible] = make(visibility="visible" if visible else "hidden")
    return copy(_MADE[path, visible])
