"""The JSON text of an `extra` column: what a file says beyond the columns that we model."""

from __future__ import annotations

from typing import Any

import msgspec

DEEPEST = 100
"""How deep a field that we don't model may be nested, so that every later reader can follow."""


class TooDeep(ValueError):  # noqa: N818
    """A field holds lists and objects in each other beyond `DEEPEST`; the text says so."""


def check_depth(value: Any) -> None:
    """Raise TooDeep if lists and objects stand in each other too deep."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, list | dict)]:
        depth += 1
        if depth > DEEPEST:
            raise TooDeep(f"a field nested more than {DEEPEST} deep")
        level = [part for item in level for part in (item.values() if isinstance(item, dict) else item)]


def encode_extra(extra: Any) -> str | None:
    """The column's text; null where there is nothing to say.

    Raises TooDeep where a field is nested too deeply for a later reader.
    """
    if not extra:
        return None
    check_depth(extra)
    return msgspec.json.encode(extra).decode()


def decode_extra(extra: Any) -> dict[str, Any]:
    """What `encode_extra` was given; an empty dict for null."""
    return dict(msgspec.json.decode(extra)) if isinstance(extra, str) else {}
