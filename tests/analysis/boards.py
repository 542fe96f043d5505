"""The demo, whose values by judgments are also a leaderboard that a file brought."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exam_core.actions.exporting import board_of, export_leaderboard
from exam_core.actions.importing_boards import import_leaderboard
from exam_core.analysis.choosing import choose
from exam_core.request import Request
from exam_core.store import Snapshot, Store

EXAM = Request("P@20", bank="open", tau=3)
JUDGED = Request("nDCG@10", judgments="official")
COMPUTED, OURS = "qrels:nDCG@10", "theirs"


def with_board(demo_store: Path, folder: Path) -> Store:
    """A copy of the demo's store with that leaderboard."""
    shutil.copytree(demo_store, folder / "store", symlinks=True)
    store = Store(folder / "store")
    board = board_of(store.snapshot("demo"), choose(store.snapshot("demo"), JUDGED))
    export_leaderboard(board, folder / "board.txt", "run-measure-topic-value")
    done = import_leaderboard(store, "demo", folder / "board.txt", name=OURS)
    assert done.notes == []
    return store


def both(snapshot: Snapshot, answer: Callable[..., Any]) -> list[Any]:
    """What an analysis says beside the computed reference, and beside the leaderboard."""
    return [answer(snapshot, choose(snapshot, EXAM.but(reference=name))) for name in (COMPUTED, OURS)]
