"""Blocks of the page Collections."""

from __future__ import annotations

from typing import Any

import streamlit as st

from exam_core.analysis.contents import COLLECTIONS, ROWS, Inventory, collections_table
from exam_core.store.summary import aliases_of, leaderboard_ids
from exam_core.wording import ADD_TEXTS, counted, quoted, without_commands
from pages.parts import next_steps, upload
from pages.shared import data, naming, picking, show, visiting
from pages.shared.controls import NEXT_COLLECTION
from pages.shared.selection import Selection

FIRST_SOURCES, MOST_SOURCES = 8, 20
TABLE = "holdings_collections"
SHOWN = COLLECTIONS.changed(leaderboards={"kind": "number", "form": "localized", "width": None})
"""Leaderboards are counted; of the chosen collection they are named."""


def all_collections(summaries: list[dict[str, Any]], collection: str) -> None:
    """What each collection of the store holds, in a row; a click on one chooses it in the place of `collection`."""
    aliases = [aliases_of(data.snapshot(summary["collection"])) for summary in summaries]
    called = [
        summary | {"graders": [names.get(grader, grader) for grader in summary["graders"]]}
        for summary, names in zip(summaries, aliases, strict=True)
    ]
    counts = [column.name for column in COLLECTIONS.columns if column.kind == "number"]
    rows = collections_table(called).astype(dict.fromkeys(counts, "Int64"))
    rows["leaderboards"] = [len(summary["leaderboards"]) for summary in summaries]
    in_print = (rows[["grades", "runs", "judgments"]] == 0).all(axis="columns") & (rows["leaderboards"] > 0)
    rows.loc[in_print, counts] = None
    row = show.table(rows, SHOWN, key=TABLE, select=True, export=collections_table(summaries))
    clicked = picking.in_row(rows["collection"], row)
    if picking.is_new(TABLE, clicked) and clicked != collection:
        st.session_state[NEXT_COLLECTION] = clicked
        st.rerun()


def collection(selection: Selection, inventory: Inventory) -> None:
    """What each grading mode of the chosen collection graded and left out, and what is missing for more."""
    st.header(show.escaped(selection.snapshot.collection))
    if boards := leaderboard_ids(selection.snapshot):
        show.text(f"Leaderboards: {'; '.join(map(naming.reference, boards))}.")
    if selection.in_print:
        show.text("Figures as printed in the papers, without grades and runs.")
        return
    if len(inventory.rows):
        st.markdown("**Grading modes and ungraded passages**")
        last = ["model", "scale", "scale_from", "queries"]  # what the heading speaks of is seen without scrolling
        rows = inventory.rows[[*inventory.rows.columns.drop(last), *last]]
        show.table(rows, ROWS, key="holdings_modes", export=inventory.rows)
    next_steps.draw(selection)
    show.notes([without_commands(note).replace(ADD_TEXTS, "Add the texts above.") for note in inventory.notes])


def sources(selection: Selection) -> None:
    """Where the chosen collection came from, newest first, each with a way back."""
    st.markdown("**Imports**")
    name, records = selection.snapshot.collection, selection.snapshot.sources[::-1]
    for source in records[:FIRST_SOURCES]:
        _way_back(name, source)
    if older := records[FIRST_SOURCES:MOST_SOURCES]:
        with st.expander(f"{counted({'imports': len(older)})} before these", key="older_imports"):
            for source in older:
                _way_back(name, source)
    if len(records) > MOST_SOURCES:
        st.caption(f"These are the newest {MOST_SOURCES} of {len(records):,} imports. See all with:")
        show.command(f"examboard import list --collection {quoted(name)}")


def _way_back(collection: str, source: dict[str, Any]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch", gap="xxsmall"):
            created = source["created"].replace("T", " ").replace("+00:00", " UTC")
            show.text(f"{source['file'] or source['source']}, imported {created}: {counted(source['counts'])}")
            for note in source["notes"]:
                show.text(f"– {naming.sentence(note)}")
        if source.get("id") and visiting.allowed("edit", text=False):
            upload.undo_button(collection, source)
