"""Which pages there are, and which of them the menu shows: those that the collection can fill.

The addresses of the others work all the same, and such a page says what it takes.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from functools import partial
from itertools import groupby
from operator import attrgetter

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
from pages.shared.wings import BOARDS, Page

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


def _with_wings(*own: Page) -> tuple[Page, ...]:
    """The pages of the core and of wings; those of a menu stand together."""
    every = [*own, *wings.pages()]
    groups = list(dict.fromkeys(page.group for page in every))
    return tuple(sorted(every, key=lambda page: groups.index(page.group)))


PAGES = _with_wings(
    Page(
        "pages/home/home.py",
        "Home",
        ":material/home:",
        "",
        of_grades="bank series measure",  # it has a slider of its own, beside its board
        of_print="series",
    ),
    Page(
        "pages/leaderboard/leaderboard.py",
        "Leaderboard",
        ":material/leaderboard:",
        "Results",
        of_grades=f"{BOARDS} runs relevant_from scores order",
        of_print="series tau reference without runs relevant_from scores order",
    ),
    Page(
        "pages/compare/compare.py",
        "Compare",
        ":material/compare_arrows:",
        "Results",
        _ranked,
        of_grades="bank series measure tau without runs depth label_rank",
        of_print="series without runs",
    ),
    Page(
        "pages/outliers/outliers.py",
        "Outliers",
        ":material/person_search:",
        "Results",
        _ranked,
        of_grades=f"{BOARDS} runs",
        of_print="series reference without runs",
    ),
    Page(
        "pages/methods/methods.py",
        METHODS,
        ":material/tune:",
        "How sure?",
        _ranked,
        of_grades=f"{BOARDS} runs scores relevant_from",
        of_print="series reference without runs scores",
    ),
    Page(
        "pages/how_sure/how_sure.py",
        ORDER,
        ":material/ssid_chart:",
        "How sure?",
        _ranked,
        of_grades=f"{BOARDS} runs",
        of_print="series reference without runs",
    ),
    Page(
        "pages/agreement/agreement.py",
        "Agreement",
        ":material/grid_on:",
        "How sure?",
        _judged_and_graded,
        of_grades="bank series measure tau without label_rank relevant_from depth",
        of_print="tau relevant_from",
        needs_grades="This page compares grades with human judgments.",
    ),
    Page(
        "pages/passages/passages.py",
        "Passages",
        ":material/find_in_page:",
        "Read and check",
        _computed,
        of_grades="bank series tau without depth label_rank relevant_from",
    ),
    Page(
        "pages/questions/questions.py",
        "Questions",
        ":material/quiz:",
        "Read and check",
        has_questions,
        of_grades="bank series tau reference without depth",
        needs_grades="This page finds hard questions by grades.",
    ),
    Page("pages/collections/collections.py", "Collections", ":material/inventory_2:", "Data"),
    Page("pages/grading/grading.py", "Grading", ":material/grading:", "Data", _computed, of_grades="bank"),
    Page("pages/reproduce/reproduce.py", "Reproduce", ":material/verified:", "Data", is_reproduced),
    Page("pages/search/search.py", "Search", ":material/search:", "Data", of_grades="bank"),
)
"""Every page in the order of the menus."""


def filled(snapshot: Snapshot) -> frozenset[str]:
    """The titles of the pages that a collection can fill."""
    return frozenset(page.title for page in PAGES if page.title not in NOWHERE and page.takes(snapshot))


def _shown() -> frozenset[str]:
    """The titles in the menu, for the collection that the bar or the address names; all where it can't be read."""
    with suppress(ExamboardError):
        names = data.collections()
        asked = st.session_state.get("collection") or st.query_params.get("collection")
        if not names:
            return frozenset(EVERYWHERE)
        found: frozenset[str] = data.ask(filled, data.snapshot(asked if asked in names else names[0]))
        return found
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
