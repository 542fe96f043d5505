"""What an address asks for that is not there: it is named, and so is what is shown instead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from exam_core.errors import visible
from exam_core.wording import shortened
from pages.shared import help_texts

_NOTES, _COLLECTION = "asked for and missing", "collection that misses it"
WHAT = {
    "Collection": "collection",
    "Question bank": "bank",
    help_texts.GRADERS: "grading mode",
    help_texts.JUDGMENTS: "judgments",
    help_texts.PUBLISHED: "published result",
    "Measure": "measure",
    "Leave out": "run",
    "Reference": "leaderboard",
    "Depth k": "depth",
    help_texts.tau_label(): "tau",
    "Judged relevant from": "judgment threshold",
}
"""What the control bar's boxes are about, by their labels, where these don't say it."""
EVERYWHERE = ("Collection", "Measure", "Depth k", help_texts.tau_label(), "Judged relevant from")
"""What is not a collection's own; nor is what other labels are about."""
LONGEST = 80
"""Characters of a value that are shown: an address may hold any text."""


def asked(key: str, options: Sequence[str]) -> list[str]:
    """What the address asks of a box and the box does not have; empty once the box is there: Streamlit forgets it."""
    if key in st.session_state:
        return []
    return [value for value in st.query_params.get_all(key) if value and value not in options]


def impossible(key: str, least: float | None, most: float | None, *, whole: bool = True) -> list[str]:
    """What the address asks of a box of numbers that none there can be; as `asked`, empty once the box is there."""
    if key in st.session_state:
        return []
    names = [value for value in st.query_params.get_all(key) if value]
    return [value for value in names if not _is_within(value, least, most, whole=whole)]


def _is_within(value: str, least: float | None, most: float | None, *, whole: bool) -> bool:
    with suppress(ValueError):
        number = float(value)
        low, high = -math.inf if least is None else least, math.inf if most is None else most
        return math.isfinite(number) and low <= number <= high and (number.is_integer() or not whole)
    return False


def echoed(value: str) -> str:
    """A value of the address as a sentence has it: a long one without its middle, control characters as escapes."""
    return shortened(visible(value, line_ends=False), LONGEST)


def note(key: str, label: str, names: Sequence[str], shown: str | None) -> None:
    """Keep in mind what is missing, until something else is chosen than what is shown instead."""
    notes = st.session_state.setdefault(_NOTES, {})
    if names:
        notes[key] = label, list(names), shown
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
        f"There is no {WHAT.get(label, label.lower())} {echoed(name)}"
        f"{where if label in WHAT and label not in EVERYWHERE else ''}; "
        f"{'left out' if label == 'Leave out' else 'shown'} is {echoed(shown or 'none')}."
        for label, names, shown in st.session_state.get(_NOTES, {}).values()
        for name in names
    ]
