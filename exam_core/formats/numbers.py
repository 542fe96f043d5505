"""Numbers as text files write them: what Python alone takes for a number is none."""

from __future__ import annotations

import math


def as_whole_number(text: str) -> int | None:
    """A whole number of 32 bits; None if the text is none."""
    try:
        value = int(text) if _plain(text) else None
    except ValueError:
        return None
    return value if value is not None and -(2**31) <= value < 2**31 else None


def as_number(text: str) -> float | None:
    """A finite number; None if the text is none."""
    try:
        value = float(text) if _plain(text) else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def as_whole(text: str) -> int | None:
    """A whole number of 32 bits, also one that a table writes as 1.0; None if the text is none."""
    value = as_number(text)
    return int(value) if value is not None and value == int(value) and abs(value) < 2**31 else None


def _plain(text: str) -> bool:
    """Python alone reads 1_0 as ten and takes the digits of every script."""
    return "_" not in text and text.isascii()
