"""What a field of a review may say: texts as tables have them, values as JSON has them."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

from exam_core.errors import visible
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import fault_of_id
from exam_core.reviews.review import LONGEST_NOTE

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LARGEST = 2**31 - 1


class BadCell(ValueError):  # noqa: N818
    """A field does not say what it may.

    Parameters
    ----------
    remedy : what to do; empty: what a review has to say
    cause : the same for all rows that are wrong for the same reason
    """

    def __init__(self, what: str, *, remedy: str = "", cause: str = "") -> None:
        super().__init__(what)
        self.remedy, self.cause = remedy, cause or what


def name(field: str, value: Any) -> str | None:
    """An id or a name; None where there is none."""
    if value is None or value == "":
        return None
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadCell(f"{field} is no text")
    text = str(value)
    if fault := fault_of_id(text):
        raise BadCell(f"{field} {fault}: {visible(text, line_ends=False)[:60]}", cause=f"{field} {fault}")
    return text


def plain_text(field: str, value: Any) -> str | None:
    """A text of any characters; None where there is none."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadCell(f"{field} is no text")
    if len(value) > LONGEST_NOTE:
        raise BadCell(f"{field} is longer than {LONGEST_NOTE:,} characters", remedy="Shorten it.")
    return value


def flag(field: str, value: Any) -> bool | None:
    """Yes or no; None where nothing is said."""
    if value is None or value == "":
        return None
    found = _FLAGS.get(str(value).strip().lower())
    if found is None:
        raise BadCell(f"{field} {_shown(value)} is neither true nor false", cause=f"{field} is no flag")
    return found


def number(
    field: str, value: Any, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float | None:
    """A finite number within bounds; None where there is none."""
    if value is None or value == "":
        return None
    is_one = isinstance(value, str | int | float) and not isinstance(value, bool)
    found = as_number(str(value).strip()) if is_one else None
    if found is None:
        raise BadCell(f"{field} {_shown(value)} is no number", cause=f"{field} is no number")
    if found < least or found <= above or found > most:
        low = f"above {above:g}" if above > -math.inf else f"{least:g} or more"
        bounds = low + (f", {most:g} at most" if most < math.inf else "")
        raise BadCell(f"{field} is {_shown(value)}", remedy=f"A {field} is {bounds}.", cause=f"{field} out of bounds")
    return found


def whole_number(field: str, value: Any, *, least: int = -_LARGEST) -> int | None:
    """A whole number, also one that a table writes as 2.0; None where there is none."""
    found = number(field, value)
    if found is None:
        return None
    if found != int(found) or not least <= found <= _LARGEST:
        what = f"{field} {_shown(value)} is no whole number"
        raise BadCell(f"{what} from {least}" if least >= 0 else what, cause=f"{field} is no whole number")
    return int(found)


def time(value: Any) -> str | None:
    """A time as reviews tell it, in UTC to the millisecond; one without a zone is taken for UTC."""
    if value is None or value == "":
        return None
    try:
        found = dt.datetime.fromisoformat(str(value).strip())
        found = found if found.tzinfo else found.replace(tzinfo=dt.UTC)
        return found.astimezone(dt.UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        remedy = "Write it as 2026-01-31T12:00:00Z, or leave it empty."
        raise BadCell(f"created {_shown(value)} is no time", remedy=remedy, cause="created is no time") from None


def _shown(value: Any) -> str:
    return visible(str(value), line_ends=False)[:40]
