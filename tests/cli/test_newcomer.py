"""From one's own files to a leaderboard in three commands; kappa and correlation by two more."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import newcomer


def test_own_files_become_grades_a_leaderboard_kappa_and_a_correlation(
    examboard: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*command: object) -> Any:
        done = examboard(tmp_path / "store", *command, "--format", "json")
        assert done.status == 0, done.err
        return json.loads(done.out)

    monkeypatch.setenv("OPENAI_API_KEY", "key")
    folder = newcomer.write(tmp_path / "mydata", 10_000)
    assert examboard(tmp_path / "store", "import", *sorted(folder.iterdir())).status == 0
    with newcomer.rater() as address:
        model = ("--backend", "openai", "--base-url", address, "--model", "rater")
        graded = examboard(tmp_path / "store", "grade", "mydata", *model)
    assert (graded.status, "unreadable" in graded.out) == (0, False)
    board = answer("leaderboard", "mydata")
    assert {row["run_id"]: row["mean"] for row in board["rows"]} == {"bm25": 1.0, "dense": 1.0}
    judged = ("--reference", "qrels:nDCG@10", "--measure", "P@10")
    assert answer("correlate", "mydata", *judged)[0]["kendall"] == pytest.approx(1.0)
    assert answer("agreement", "mydata", "--relevant-from", 1)["kappa"] == pytest.approx(1.0)
