"""Search: runs, queries, questions and passages of the collection, from one box; each result leads to its page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.charts.chart_layout import beginning
from exam_core.store.summary import search_each
from exam_core.table_text import plain
from pages.shared import boxes, data, frame, passage_texts, show, wings
from pages.shared.selection import Selection

HELP = (
    "All words must occur in the name or the text, upper or lower case; words in quotes are searched as a phrase. "
    "Questions are those of the bank on the left, in its newest version."
)
EMPTY = "Type a run, a query, a question or words of a passage: names and texts of the whole collection are searched."
HEADINGS = {"run": "Runs", "query": "Queries", "question": "Questions", "passage": "Passages"}
MOST = 8  # results of a kind


def draw(selection: Selection) -> None:
    """The box, and the first results of each kind."""
    text = boxes.text("Search", key="search_text", help=HELP, type="search")
    if not text.strip():
        show.text(EMPTY)
        return
    by_kind = data.ask(search_each, selection.snapshot, text, bank=selection.bank_name, most=MOST)
    if not any(len(rows) for rows in by_kind.values()):
        st.info("Nothing matches all these words. Remove some, or choose another collection on the left.")
        return
    for kind, rows in by_kind.items():
        if len(rows):
            total = int(rows["total"].iloc[0])
            st.header(HEADINGS[kind])
            show.text(f"{total:,} found." if total <= len(rows) else f"The first {len(rows)} of {total:,}.")
            for row in plain(rows):
                _result(kind, row)


def _result(kind: str, row: dict[str, Any]) -> None:
    """A link to the page that shows it, and the beginning of its text."""
    name = show.escaped(row["id"])
    if kind == "run":
        show.link("pages/leaderboard/leaderboard.py", name, ":material/leaderboard:", leaderboard_run=row["id"])
    elif kind == "query":
        passage_texts.link(name, icon=":material/find_in_page:", query=row["id"])
    elif kind == "question":
        wings.draw("draw_question", row["query_id"], row["text"] or row["id"])
    else:
        passage_texts.link(name, icon=passage_texts.OPEN, passage=row["id"])
    if row["text"] and kind != "question":
        show.text(beginning(row["text"]))


with frame.page("Search", series=False) as selection:
    draw(selection)
