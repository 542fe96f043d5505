"""The commands about nuggets, on a small file and on the demo's collection of generated answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LINE = {
    "qid": "q",
    "query": "weather",
    "run_id": "a",
    "answer_text": "Rain falls.",
    "nuggets": [
        {"text": "Rain", "importance": "vital", "assignment": "support"},
        {"text": "Wind", "importance": "okay", "assignment": "failed"},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "assigned.jsonl"
    path.write_text(json.dumps(LINE), "utf-8")
    return path


def test_assignments_are_imported_with_what_is_odd_about_them(examboard: Any, tmp_path: Path, file: Path) -> None:
    done = examboard(tmp_path / "store", "import", "assignments", file, "--collection", "c")
    assert (done.status, done.out.splitlines()) == (
        0,
        [
            "c: 1 run, 1 query, 1 answer, 2 questions, 2 grades",
            "  1 labels are none of support, partial_support, not_support (failed 1): they are kept as they are and "
            "count as not found.",
        ],
    )
