"""A collection's figures, computed or printed: the one door to them.

Pages and commands ask `figures_of`; that figures are printed makes no difference to them but in what they get.
"""

from __future__ import annotations

from functools import lru_cache

from exam_core.analysis.figures.graded import Graded
from exam_core.analysis.figures.printed import Printed
from exam_core.analysis.figures.protocol import Figures
from exam_core.analysis.printed import boards
from exam_core.store import Snapshot

KINDS: tuple[type[Figures], ...] = (Graded, Printed)
"""Both answer all that the protocol asks; mypy compares them with it here."""


@lru_cache(maxsize=64)
def figures_of(snapshot: Snapshot) -> Graded | Printed:
    """A collection's figures: in print where there are printed ones, and nothing that could be evaluated."""
    return Printed(snapshot) if _is_printed(snapshot) else Graded(snapshot)


def _is_printed(snapshot: Snapshot) -> bool:
    if any(_has(snapshot, table) for table in ("grades", "rankings", "judgments")):
        return False
    return _has(snapshot, "confusions") or bool(boards.columns(snapshot))


def _has(snapshot: Snapshot, table: str) -> bool:
    """Whether a table has a row."""
    if not snapshot.tables.get(table):
        return False
    return bool(snapshot.query(f"SELECT count(*) > 0 AS some FROM {table}")["some"].iloc[0])
