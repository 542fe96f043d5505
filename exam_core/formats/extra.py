"""The JSON text of an `extra` column: what a file says beyond the columns that we model."""

from __future__ import annotations

from typing import Any

import msgspec


def encode_extra(extra: Any) -> str | None:
    """The column's text; null where there is nothing to say."""
    return msgspec.json.encode(extra).decode() if extra else None


def decode_extra(extra: Any) -> dict[str, Any]:
    """What `encode_extra` was given; an empty dict for null."""
    return dict(msgspec.json.decode(extra)) if isinstance(extra, str) else {}
