"""What a field of a review may say: texts as tables have them, values as JSON has them."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterator
from typing import Any

from exam_core.errors import visible
from exam_core.formats.label_words import number_before
from exam_core.formats.numbers import as_number
from exam_core.formats.reading import fault_of_id
from exam_core.people import LONGEST_NOTE

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LARGEST = 2**31 - 1
CONTROLS = ("choices", "rating", "number")
"""The controls of Label Studio that ask for an answer."""


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
        raise BadCell(f"{field} is not text")
    text = str(value)
    if fault := fault_of_id(text):
        raise BadCell(f"{field} {fault}: {visible(text, line_ends=False)[:60]}", cause=f"{field} {fault}")
    return text


def plain_text(field: str, value: Any) -> str | None:
    """A text of any characters; None where there is none."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadCell(f"{field} is not text")
    if len(value) > LONGEST_NOTE:
        raise BadCell(f"{field} is longer than {LONGEST_NOTE:,} characters", remedy="Shorten it.")
    return value


def flag(field: str, value: Any) -> bool | None:
    """Yes or no; None where nothing is said."""
    if value is None or value == "":
        return None
    found = _FLAGS.get(str(value).strip().lower())
    if found is None:
        raise BadCell(f"{field} {_shown(value)} is neither true nor false", cause=f"{field} is neither true nor false")
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
        raise BadCell(f"{field} {_shown(value)} is not a number", cause=f"{field} is not a number")
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
        what = f"{field} {_shown(value)} is not a whole number"
        raise BadCell(f"{what} from {least}" if least >= 0 else what, cause=f"{field} is not a whole number")
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
        raise BadCell(f"created {_shown(value)} is not a time", remedy=remedy, cause="created is not a time") from None


def chosen(value: Any) -> Any:
    """The one answer of an annotation, as any export of Label Studio has it; None where there is none.

    It stands alone, in a list, or under the name of its control: `2`, `"2: high"`, `["2"]`, `{"choices": ["2"]}`,
    `[{"rating": 2}]`; a table has such values as JSON. A choice is a number, or a text that begins with one. Raises
    BadCell where there are several answers, or something else.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    found = {str(one): one for one in _answers(value)}
    if len(found) > 1:
        what = f"{len(found)} different answers ({', '.join(map(_shown, found))[:80]}) where one is the answer"
        remedy = 'Keep the one that counts, and let the tool take one (Label Studio: choice="single").'
        raise BadCell(what, remedy=remedy, cause="several answers")
    return next(iter(found.values()), None)


def texts_of(value: Any) -> Any:
    """What a text area of Label Studio holds: texts, `["a", "b"]` or `{"text": ["a", "b"]}`, as lines of one."""
    found = value.get("text") if isinstance(value, dict) else value
    if not isinstance(found, list):
        return found
    return "\n".join(part for part in found if isinstance(part, str)) or None


def _answers(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, list) and depth < len(CONTROLS):
        for one in value:
            yield from _answers(one, depth + 1)
    elif isinstance(value, dict) and depth < len(CONTROLS) and (there := [name for name in CONTROLS if name in value]):
        for name in there:
            yield from _answers(value[name], depth + 1)
    elif isinstance(value, list | dict):
        what = f"answer {_shown(json.dumps(value, ensure_ascii=False))} is not a choice, rating or number"
        raise BadCell(what, cause="an answer of another kind")
    elif value is not None and value != "":
        number = number_before(value.strip()) if isinstance(value, str) else None
        yield value if number is None else str(number)


def _shown(value: Any) -> str:
    return visible(str(value), line_ends=False)[:40]
