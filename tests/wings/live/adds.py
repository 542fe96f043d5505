"""What the live page adds to tests of the whole."""

from __future__ import annotations

ELSEWHERE = {"export site": "wings/live/cli/test_live.py", "bench site": ""}
