"""What the live page adds to tests of the whole."""

from __future__ import annotations

ELSEWHERE = {
    "export report": "wings/live/cli/test_live.py",
    "export site": "wings/live/cli/test_live.py",
    "bench site": "",
}
EXPORTING = ("export site demo {file} --bank open --measure P@5",)
