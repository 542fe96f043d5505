"""Files with an id on each line."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import ExamboardError


def ids_in(path: Path) -> list[str]:
    """The ids of a file, one on each line; empty lines are skipped.

    Raises ExamboardError where it is no text, or names no question.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ExamboardError(f"{path} is not UTF-8 text. Write one question_id on each line.") from None
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise ExamboardError(f"{path} names no question. Write one question_id on each line.")
    return ids
