"""Leaderboards to compare with: official ranks and printed columns."""

from __future__ import annotations

import pandas as pd

from exam_core.errors import UsageError
from exam_core.store import Snapshot
from exam_core.store.summary import leaderboard_ids
from exam_core.tables import OFFICIAL, OVERALL


def reference_ranks(snapshot: Snapshot, reference: str | None) -> tuple[str | None, pd.Series]:
    """Name and ranks (by run_id) of a reference; `official` by default, (None, empty) if there is none.

    Raises
    ------
    UsageError : a reference was named that the collection doesn't have
    """
    known = leaderboard_ids(snapshot)
    if reference is None and OFFICIAL not in known:
        return None, pd.Series(dtype=float)
    name = reference or OFFICIAL
    if name not in known:
        raise UsageError(
            f"There is no leaderboard {name}. There are: {', '.join(known) if known else 'none'}. "
            f"Add one with: python -m exam_core import leaderboard FILE --name {name} "
            f"--collection {snapshot.collection}"
        )
    rows = leaderboard_rows(snapshot, name)
    return name, rows.set_index("run_id")["rank"].dropna()


def leaderboard_rows(snapshot: Snapshot, leaderboard_id: str) -> pd.DataFrame:
    """The systems of a stored leaderboard: run_id, rank, score, stderr."""
    return snapshot.query(
        "SELECT run_id, rank, score, stderr FROM leaderboards WHERE leaderboard_id = ? AND run_id != ?",
        [leaderboard_id, OVERALL],
    )
