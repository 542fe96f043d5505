"""Which pages there are, and which of them the menu shows: those that the collection can fill.

The addresses of the others work all the same, and such a page says what it takes.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from exam_core.analysis.contents import is_graded
from exam_core.errors import ExamboardError
from exam_core.store import Snapshot
from exam_core.store.summary import graders, qrels_ids
from pages.shared import data, wings
from pages.shared.wings import RUNS, RUNS_IN_PRINT, Page, anything, computed, ranked

EVERYWHERE, NOWHERE = ("Home", "Collections"), ("Search",)
"""Pages that an empty store has, too; and those that the head of each page leads to."""


def _judged_and_graded(snapshot: Snapshot) -> bool:
    """Whether labels can agree with judgments: both are there, or a printed table of them."""
    if computed(snapshot):
        return bool(qrels_ids(snapshot)) and bool(graders(snapshot))
    return is_graded(snapshot)


def _with_wings(*own: Page) -> tuple[Page, ...]:
    """The pages of the core and of wings, by menu."""
    every = list(own)
    for page in wings.pages():
        titles = [known.title for known in every]
        every.insert(titles.index(page.before) if page.before in titles else len(every), page)
    groups = list(dict.fromkeys(page.group for page in every))
    return tuple(sorted(every, key=lambda page: groups.index(page.group)))


def _own(name: str, title: str, icon: str, group: str, *more: Any, **fields: Any) -> Page:
    # A page of the core lies in a folder of its name.
    return Page(f"pages/{name}/{name}.py", title, f":material/{icon}:", group, *more, **fields)


_LOOK = "relevant_from scores order"
_JUDGED = "bank series tau without depth label_rank relevant_from"
PAGES = _with_wings(
    # Home has a slider of its own, beside its board.
    _own("home", "Home", "home", "", anything, "bank series measure", "series"),
    _own(
        *("leaderboard", "Leaderboard", "leaderboard", "Results", anything),
        *(f"{RUNS} {_LOOK} groups", f"{RUNS_IN_PRINT} tau {_LOOK}"),
    ),
    _own("outliers", "Outliers", "person_search", "Results", ranked, RUNS, RUNS_IN_PRINT),
    _own(
        *("agreement", "Agreement", "grid_on", "Reliability", _judged_and_graded),
        *(f"{_JUDGED} measure", "tau relevant_from", "This page compares grades with human judgments."),
    ),
    _own("passages", "Passages", "find_in_page", "Inspect", computed, _JUDGED),
    _own("collections", "Collections", "inventory_2", "Data"),
    _own("grading", "Grading", "grading", "Data", computed, "bank"),
    _own("search", "Search", "search", "Data", anything, "bank"),
)
"""Every page in the order of the menus."""


def filled(snapshot: Snapshot) -> frozenset[str]:
    """The titles of the pages that a collection can fill by itself."""
    own = (page for page in PAGES if page.title not in NOWHERE and not page.of_store)
    return frozenset(page.title for page in own if page.takes(snapshot))


def _shown() -> frozenset[str]:
    """The titles in the menu, for the collection that the bar or the address names; all where it can't be read."""
    with suppress(ExamboardError):
        names = data.collections()
        name = st.session_state.get("collection") or st.query_params.get("collection")
        if not names:
            return frozenset(EVERYWHERE)
        snapshot = data.snapshot(name if name in names else names[0])
        of_store = (page for page in PAGES if page.of_store and len(names) > 1)
        return data.ask(filled, snapshot) | {page.title for page in of_store if data.ask(page.takes, snapshot)}
    return frozenset(page.title for page in PAGES if page.title not in NOWHERE)


_MADE: dict[tuple[str, bool], StreamlitPage] = {}


def pages() -> dict[str, list[StreamlitPage]]:
    """The pages by menu, for one run: Streamlit looks for a page's file when it is made, and lets it be run once."""
    shown = _shown()
    listed = groupby(PAGES, attrgetter("group"))
    return {group: [_page(page, visible=page.title in shown) for page in of_group] for group, of_group in listed}


def _page(page: Page, *, visible: bool) -> StreamlitPage:
    if (page.path, visible) not in _MADE:
        make = partial(st.Page, page.path, title=page.title, icon=page.icon, default=page == PAGES[0])
        _MADE[page.path, visible] = make(visibility="visible" if visible else "hidden")
    return copy(_MADE[page.path, visible])
