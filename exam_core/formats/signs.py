"""Columns in which tools say that a row holds no label, or none that counts.

Sources: umbrela's `result_status`; https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ (`AssignmentStatus`);
https://docs.argilla.io (`status` of a response); https://labelstud.io/guide/export (`was_cancelled`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from exam_core.wording import counted

_SIGNS = {
    "result_status": {"unreadable": "0 false"},
    "assignment_status": {"left out": "rejected"},
    "status": {"unreadable": "error failed failure timeout", "left out": "discarded draft rejected skipped"},
    "was_cancelled": {"left out": "1 true"},
}
"""By column, what it says of a label that a judge failed to give, and of work that was withdrawn or not approved."""
SIGNS: dict[str, tuple[str, ...]] = dict.fromkeys(_SIGNS, ())
"""These columns, as readers of tables take fields."""


def _all_of(meaning: str) -> frozenset[str]:
    return frozenset(f"{name}={word}" for name, said in _SIGNS.items() for word in said.get(meaning, "").split())


UNREADABLE, LEFT_OUT = _all_of("unreadable"), _all_of("left out")
"""Signs as `sign_of` writes them."""


def sign_of(cells: Mapping[str, Any]) -> str:
    """The sign in a row whose columns are called as in `SIGNS`, such as `status=discarded`; empty where there is none.

    Of several, one that leaves the row out comes first.
    """
    said = [f"{name}={str(cells[name]).strip().lower()}" for name in SIGNS if name in cells]
    return next((sign for signs in (LEFT_OUT, UNREADABLE) for sign in said if sign in signs), "")


def about_left_out(signs: Counter[str]) -> list[str]:
    """A note on rows that are left out."""
    said = ", ".join(f"{sign} {count:,}" for sign, count in signs.items())
    return [f"Left out, as a column of the file says ({said}): {counted({'rows': signs.total()})}."] if signs else []
