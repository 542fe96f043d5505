"""Counts, times and lists in words. Every room may take it."""

from __future__ import annotations

import re
from collections.abc import Mapping


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words, for instance `1 run, 860 rankings`; where there is one of something, in the singular."""
    return ", ".join(f"{count:,} {_number_of(name, count)}" for name, count in counts.items())


def _number_of(name: str, count: int) -> str:
    if count != 1:
        return name
    return name.removesuffix("ies") + "y" if name.endswith("ies") else name.removesuffix("s")


def duration(seconds: float) -> str:
    """A time in words that a person reads at once."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def listed(text: str | None) -> list[str]:
    """Names with commas between, each once; a comma in brackets parts nothing: `AP,POURPRE(beta=5,stem=porter)`."""
    return list(dict.fromkeys(filter(None, (name.strip() for name in re.split(r",(?![^()]*\))", text or "")))))
