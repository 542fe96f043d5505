"""How long work tells whoever waits that it goes on; every room may take it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called now and then with the share of the work that is done, in [0, 1]."""


def no_progress(_share: float) -> None:
    """Tell nobody."""


def part_of(progress: Progress, place: int, parts: int) -> Progress:
    """Progress within one of several equal parts, counted from 0."""
    return within(progress, place / parts, (place + 1) / parts)


def within(progress: Progress, start: float, end: float) -> Progress:
    """Progress within a part that goes from one share of the work to another."""
    return lambda share: progress(start + (end - start) * share)
