"""A collection's figures, computed or printed: the one door to them.

Pages and commands ask `figures_of`; that figures are printed makes no difference to them but in what they get.
"""

from __future__ import annotations

from exam_core.analysis.evaluation.ensemble_modes import with_ensembles
from exam_core.analysis.figures.graded_figures import Graded
from exam_core.analysis.figures.printed_figures import Printed
from exam_core.analysis.printed.printed_boards import is_printed
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept

Figures = Graded | Printed


def figures_of(snapshot: Snapshot, *named: str | None) -> Figures:
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
def _kept(snapshot: Snapshot) -> Figures:
    return Printed(snapshot) if is_printed(snapshot) else Graded(snapshot)
