"""What collections of printed figures say of methods and taus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.analysis.printed.printed_boards import boards, facts
from exam_core.errors import ExamboardError
from exam_core.measures import Measure
from exam_core.store import Snapshot
from exam_core.wings.comparing.analysis.mode_grid import GRID, NOT_PRINTED, Grid, cell, styled_grid
from exam_core.wings.comparing.analysis.tau_comparison import COEFFICIENTS, CUTOFFS, Cutoffs, typed_rows


def grid(
    snapshot: Snapshot,
    measures: Sequence[Measure] = (),
    *,
    bank: str | None = None,
    taus: Sequence[int] = TAUS,
    reference: str | None = None,
) -> Grid:
    """The cells that a printed collection prints a leaderboard for.

    Parameters
    ----------
    measures : all that are printed by default
    bank : None takes every bank

    Returns
    -------
    NaN in the cells that are not printed

    Raises
    ------
    UsageError : no such reference
    """
    known = boards(snapshot, reference)
    names = [str(measure) for measure in measures] or list(dict.fromkeys(board.measure for board in known))
    cells = {
        (*_mode(snapshot, board), board.measure): board
        for board in known
        if board.measure in names and bank in (None, board.bank) and (board.tau is None or board.tau in taus)
    }
    modes = dict.fromkeys(cell[:3] for cell in cells)
    rows = [_row(mode, name, cells.get((*mode, name))) for mode in modes for name in names]
    notes = ["All figures are printed in papers; a cell without a printed leaderboard is undefined."]
    if not rows:
        notes = [f"None of these figures is printed. Printed are: {'; '.join(board.title for board in known)}."]
    return styled_grid(snapshot.collection, reference, measures or names, GRID.of(rows), notes)


def _mode(snapshot: Snapshot, board: Leaderboard) -> tuple[str | None, str | None, int | None]:
    """Bank, what is said of the grading, and tau of a printed column; a column of which nothing is known is its own."""
    if board.bank is None:
        return None, board.title, None
    return board.bank, facts(snapshot, board.title).grading, board.tau


def _row(mode: Sequence[Any], measure: str, board: Leaderboard | None) -> dict[str, Any]:
    if board is None or board.correlation is None:
        return cell(mode, measure, why=NOT_PRINTED)
    return cell(mode, measure, board.correlation.spearman, board.correlation.kendall, board.correlation.n)


def cutoffs(snapshot: Snapshot, measure: Measure, *, bank: str | None = None, reference: str | None = None) -> Cutoffs:
    """The correlations of the taus that a printed collection prints a leaderboard for; all else is NaN.

    Raises
    ------
    UsageError : no such reference
    ExamboardError : the measure is not printed for the bank, or for several banks
    """
    known = boards(snapshot, reference)
    mine = [board for board in known if board.measure == str(measure) and bank in (None, board.bank)]
    by_tau = {board.tau: board for board in mine if board.tau}
    if not mine or len(by_tau) < sum(board.tau is not None for board in mine):
        what = " ".join(filter(None, (bank, str(measure))))
        many = "is printed for more than one bank" if mine else "is not printed"
        listed = "; ".join(board.title for board in known)
        raise ExamboardError(f"{what} {many} in {snapshot.collection}. Printed are: {listed}.")
    rows = pd.DataFrame({"tau": TAUS}).reindex(columns=CUTOFFS.names)
    for row, tau in enumerate(TAUS):
        found = by_tau[tau].correlation if tau in by_tau else None
        for name in (*COEFFICIENTS, "n") if found else ():
            rows.loc[row, name] = getattr(found, name)
    return Cutoffs(
        snapshot.collection,
        " ".join(filter(None, (bank, str(measure)))),
        str(measure),
        mine[0].reference,
        typed_rows(rows, None),
        notes=_about_print(by_tau, mine),
    )


def _about_print(by_tau: dict[int, Leaderboard], mine: list[Leaderboard]) -> list[str]:
    """What a printed collection says of taus, and what it does not."""
    taus = " and ".join(str(tau) for tau in sorted(by_tau))
    notes = [
        f"Only tau {taus} is printed; without grades and queries there is no other tau, interval or recommendation."
    ]
    if not by_tau:
        notes = ["No tau is printed; without grades and queries there is none to compare."]
    return notes + [f"{board.title} is printed without a tau and left out." for board in mine if not board.tau]
