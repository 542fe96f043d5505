"""What the live page adds to tests of the whole."""

from __future__ import annotations

import pytest

from exam_core.wings.live import cube

ELSEWHERE = {"export report": "wings/live/test_live.py", "export site": "wings/live/test_live.py", "bench site": ""}
EXPORTING = ("export site demo {file} --bank open --measure P@5",)


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live pages have three taus and one label rank, where it does not matter how much there is to choose."""
    monkeypatch.setattr(cube, "TAUS", (2, 3, 4))
    monkeypatch.setattr(cube, "RANKS", (1,))


SMALLER = (few,)
"""Of test_tutorials.py."""
