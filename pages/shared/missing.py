"""What an address asks for that is not there: it is named, and so is what is shown instead."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.shared import words

_NOTES, _COLLECTION = "asked for and missing", "collection that misses it"
WHAT = {
    "Collection": "collection",
    "Question bank": "bank",
    words.GRADERS: "grading mode",
    words.JUDGMENTS: "judgments",
    "Printed columns": "printed column",
    "Measure": "measure",
    "Leave out runs": "run",
    "Reference": "leaderboard",
}
"""What the control bar's boxes are about, by their labels."""
EVERYWHERE = ("Collection", "Measure")
"""What is not a collection's own."""


def asked(key: str, options: Sequence[str]) -> list[str]:
    """What the address asks of a box and the box does not have; empty once the box is there: Streamlit forgets it."""
    if key in st.session_state:
        return []
    return [value for value in st.query_params.get_all(key) if value and value not in options]


def note(key: str, label: str, asked: Sequence[str], shown: str | None) -> None:
    """Keep in mind what is missing, until something else is chosen than what is shown instead."""
    notes = st.session_state.setdefault(_NOTES, {})
    if asked:
        notes[key] = label, list(asked), shown
    elif key in notes and notes[key][2] != shown:
        del notes[key]


def of(collection: str) -> None:
    """Name the collection whose banks, modes and leaderboards are spoken of."""
    st.session_state[_COLLECTION] = collection


def forget() -> None:
    """Another page was turned to."""
    st.session_state.pop(_NOTES, None)


def sentences() -> list[str]:
    """What is missing, and what is shown."""
    where = f" in {st.session_state.get(_COLLECTION)}"
    return [
        f"There is no {WHAT[label]} {name}{'' if label in EVERYWHERE else where}; "
        f"{'left out' if WHAT[label] == 'run' else 'shown'} is {shown or 'none'}."
        for label, names, shown in st.session_state.get(_NOTES, {}).values()
        for name in names
    ]
