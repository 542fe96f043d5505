"""A collection's figures, computed or printed: the one door to them.

Pages and commands ask `figures_of`; that figures are printed makes no difference to them but in what they get.
"""

from __future__ import annotations

from exam_core.analysis.evaluation.ensembles import with_ensembles
from exam_core.analysis.figures.graded import Graded
from exam_core.analysis.figures.printed import Printed
from exam_core.analysis.figures.protocol import Figures
from exam_core.analysis.printed import boards
from exam_core.store import Snapshot
from exam_core.store.keeping import kept

KINDS: tuple[type[Figures], ...] = (Graded, Printed)
"""Both answer all that the protocol asks; mypy compares them with it here."""


def figures_of(snapshot: Snapshot, *named: str | None) -> Graded | Printed:
    """A collection's figures: in print where there are printed ones, and nothing that could be evaluated.

    Parameters
    ----------
    named : whatever may name grading modes that are made of others, such as `majority(a,b,c)`: their collection,
        `figures.snapshot`, has these, too

    Raises
    ------
    UsageError : one of them can't be made
    """
    return _kept(with_ensembles(snapshot, filter(None, named)))


@kept(64)
def _kept(snapshot: Snapshot) -> Graded | Printed:
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
