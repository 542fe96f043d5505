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
"""Boxes whose values no collection has of its own; the same holds of labels that are not in `WHAT`."""
LONGEST = 80
"""Characters of a value that are shown: an address may hold any text."""


def asked(key: str, options: Sequence[str]) -> list[str]:
    """Values of the address that a box does not have; none once the box is drawn, since Streamlit then forgets them."""
    if key in st.session_state:
        return []
    return [value for value in st.query_params.get_all(key) if value and value not in options]


def impossible(key: str, least: float | None, most: float | None, *, whole: bool = True) -> list[str]:
    """Values of the address that are no number within the bounds of a box; as `asked`, none once it is drawn."""
    if key in st.session_state:
        return []
    low, high = -math.inf if least is None else least, math.inf if most is None else most

    def fits(value: str) -> bool:
        with suppress(ValueError):
            number = float(value)
            return math.isfinite(number) and low <= number <= high and (number.is_integer() or not whole)
        return False

    return [value for value in st.query_params.get_all(key) if value and not fits(value)]


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
    """Keep the name of the collection for `sentences`."""
    st.session_state[_COLLECTION] = collection


def forget() -> None:
    """Another page was turned to."""
    st.session_state.pop(_NOTES, None)


def sentences() -> list[str]:
    """What the address asks for that is missing, and what is shown instead."""
    where = f" in {st.session_state.get(_COLLECTION)}"
    return [
        f"There is no {WHAT.get(label, label.lower())} {echoed(name)}"
        f"{where if label in WHAT and label not in EVERYWHERE else ''}; "
        f"{'left out' if label == 'Leave out' else 'shown'} is {echoed(shown or 'none')}."
        for label, names, shown in st.session_state.get(_NOTES, {}).values()
        for name in names
    ]
