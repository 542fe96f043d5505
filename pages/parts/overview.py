"""Blocks of the page Overview."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.analysis.holdings.inventory import COLLECTIONS, ROWS, Inventory, collections_table
from exam_core.wording import counted
from pages.parts import upload
from pages.shared import show
from pages.shared.chosen import Chosen

IN_ROWS = (("queries", "questions", "judgments"), ("runs", "passages", "grades"))
"""What is asked, and what is answered."""
MISSING = {
    "grades": ("grades", "a graded file of the workbench, or labels of a grading mode"),
    "runs": ("runs", "TREC run files"),
    "judgments": ("human judgments", "a qrels file"),
    "leaderboards": ("official leaderboard", "a leaderboard, named official"),
}
PAGES = (
    ("pages/leaderboard.py", "Leaderboard", ":material/leaderboard:", "Which run is best, and how sure is that?"),
    ("pages/cutoffs.py", "Cutoffs", ":material/tune:", "Which grade should count as answered?"),
    ("pages/correlation.py", "Correlation", ":material/scatter_plot:", "Does the order agree with the official one?"),
    ("pages/agreement.py", "Agreement", ":material/grid_on:", "Do the grades agree with the human judges?"),
    ("pages/outliers.py", "Outliers", ":material/person_search:", "Which run stands out, and why?"),
    ("pages/stability.py", "Stability", ":material/ssid_chart:", "Would other queries or questions change it?"),
    ("pages/compare.py", "Compare", ":material/compare_arrows:", "What differs between two runs or settings?"),
    ("pages/evidence.py", "Evidence", ":material/find_in_page:", "What does the passage say, and who retrieved it?"),
    ("pages/difficulty.py", "Question difficulty", ":material/quiz:", "Which questions are hard, or tell nothing?"),
    (
        "pages/generated.py",
        "Generated answers",
        ":material/auto_awesome:",
        "How high do answers rank among judged documents?",
    ),
    ("pages/grading.py", "Grading", ":material/grading:", "What is graded, what is missing, and who is at it?"),
    ("pages/reproduce.py", "Reproduce", ":material/verified:", "Do the papers' printed figures come out?"),
)
MOST_SOURCES = 20


def collection(chosen: Chosen, held: Inventory) -> None:
    """The chosen collection: its counts, and what each grading mode graded and left out."""
    st.subheader(show.escaped(chosen.snapshot.collection))
    if chosen.basis == "print":
        show.text(
            "Figures as printed in the papers, without grades and runs. Leaderboards: "
            f"{'; '.join(chosen.about['leaderboards'])}."
        )
        return
    width = 300 if chosen.present else 165
    for row in IN_ROWS:
        with st.container(horizontal=True):
            for name in row:
                st.metric(
                    COLLECTIONS[name].label,
                    f"{chosen.about[name]:,}",
                    help=COLLECTIONS[name].help,
                    border=True,
                    width=width,
                )
    if len(held.rows):
        _modes(held)
    show.notes(held.notes)


def _modes(held: Inventory) -> None:
    st.markdown("**Grading modes and their holes**")
    show.table(
        held.rows,
        ROWS,
        key="overview_modes",
        alt="For each grading mode, what it graded and what it left out",
    )


def next_steps(chosen: Chosen) -> None:
    """What would make the collection more useful, and the pages with what each answers."""
    st.subheader("What to do next")
    if chosen.basis == "grades":
        for name, (what, file) in MISSING.items():
            if not chosen.about[name]:
                show.text(f"{chosen.snapshot.collection} has no {what} yet. Add {file} below.")
    with st.container(horizontal=True):
        for path, label, icon, question in PAGES:
            with st.container(border=True, width=260, height="stretch", gap="xxsmall"):
                show.link(path, label, icon)
                st.caption(question)


def all_collections(summaries: list[dict[str, Any]], damaged: list[str]) -> None:
    """Counts of every collection of the store, and what is damaged."""
    st.subheader("All collections")
    show.problems(damaged)
    show.table(
        collections_table(summaries),
        COLLECTIONS,
        key="overview_collections",
        alt="Collections of the store with their counts",
    )


def sources(chosen: Chosen) -> None:
    """Where the chosen collection came from, newest first, each with a way back."""
    st.subheader("Where it came from")
    name, found = chosen.snapshot.collection, chosen.snapshot.sources[::-1]
    for source in found[:MOST_SOURCES]:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch", gap="xxsmall"):
                _source(source)
            if not chosen.present and source.get("id"):
                upload.undo_button(name, source)
    if len(found) > MOST_SOURCES:
        st.caption(f"These are the newest {MOST_SOURCES} of {len(found):,} imports. See all with:")
        show.command(f"python -m exam_core import list --collection '{name}'")


def _source(source: dict[str, Any]) -> None:
    created = source["created"].replace("T", " ").replace("+00:00", " UTC")
    show.text(f"{source['file'] or source['source']}, imported {created}: {counted(source['counts'])}")
    for note in source["notes"]:
        show.text(f"– {note}")
