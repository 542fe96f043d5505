"""What kind of file a file is, guessed from its first lines, then from its name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec

from exam_core.errors import ExamboardError, Problems
from exam_core.formats.labels import SCALES
from exam_core.formats.leaderboards import RANK_NAMES, RUN_NAMES, SCORE_NAMES
from exam_core.formats.lines import text_lines

FIRST_LINES = 20
ENDINGS = {
    "run": ("run", "trec"),
    "qrels": ("qrel", "qrels"),
    "leaderboard": ("csv",),
    "topics": ("topics", "queries"),
}
"""How names of files end, or begin, that hold nothing telling."""


def guess_kind(path: Path) -> str | None:
    """The kind of a file, by the names of the command line's imports; None if it looks like none.

    Judgments and labels of a grading mode are written alike: a file that is named after a known grading mode,
    or speaks of labels, holds labels.
    """
    try:
        lines = [line for _, line in islice(text_lines(path, Problems(path)), FIRST_LINES)]
    except ExamboardError:
        lines = []
    lines = [line for line in lines if not line.startswith("#")]
    if not lines:
        return _by_name(path)
    if lines[0].lstrip()[0] in "[{":
        return _of_json(lines[0])
    return _of_columns(lines, path) or _by_name(path)


def _of_json(line: str) -> str | None:
    """A graded file has a list on each line, a bank an object; a line may be cut short."""
    if line.lstrip().startswith("["):
        return "workbench"
    try:
        found = msgspec.json.decode(line)
    except msgspec.MsgspecError:
        return None
    named = {"items", "questions", "qid", "question", "nuggets"}
    return "bank" if isinstance(found, dict) and named & set(found) else None


def _of_columns(lines: list[str], path: Path) -> str | None:
    if any(_is_heading(line) for line in lines):
        return "leaderboard"
    rows = [line.split() for line in lines]
    if _most(rows, lambda row: len(row) >= 6 and _is_number(row[3]) and _is_number(row[4])):
        return "run"
    if _most(rows, lambda row: len(row) == 4 and _is_number(row[3])):
        return "labels" if _speaks_of_labels(path) else "qrels"
    if _most(rows, lambda row: len(row) == 5 and _is_number(row[3]) and _is_number(row[4])):
        return "run"
    return "topics" if all(line.count("\t") == 1 for line in lines) else None


def _is_heading(line: str) -> bool:
    cells = {cell.strip().lower() for cell in line.split("\t" if "\t" in line else ",")}
    return bool(cells & set(RUN_NAMES)) and bool(cells & {*SCORE_NAMES, *RANK_NAMES})


def _speaks_of_labels(path: Path) -> bool:
    stem = path.name.split(".")[0]
    return stem in SCALES or "label" in path.name.lower() or stem.endswith("Prompt")


def _by_name(path: Path) -> str | None:
    parts = path.name.lower().split(".")
    return next((kind for kind, ends in ENDINGS.items() if any(end in parts for end in ends)), None)


def _most(rows: list[list[str]], fits: Callable[[list[str]], bool]) -> bool:
    """Whether more than half of the lines fit: a file with a few bad lines is still of its kind."""
    return sum(fits(row) for row in rows) * 2 > len(rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
