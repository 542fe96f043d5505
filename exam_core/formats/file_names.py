"""Small files of names, and what names of files say: the name of a run, and words behind it."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import ExamboardError, visible

PACKED = (".gz", ".bz2", ".xz", ".zst")
_ENDINGS = tuple(
    ".run .txt .trec .res .tsv .out .eval .treceval .jsonl .json .csv .qrels .qrel .md .yaml .yml .parquet".split()
)
"""What the name of a file may end in that says nothing of what it holds."""


def file_name(path: Path) -> str:
    """The file's name as it can be stored and shown: a name may hold any bytes."""
    return visible(path.name, line_ends=False)


def name_of_file(path: Path) -> str:
    """The name of a run by its file: without what says how it is packed and written."""
    name = file_name(path)
    for endings in (PACKED, _ENDINGS):
        name = next((name[: -len(end)] for end in endings if name.lower().endswith(end) and name.lower() != end), name)
    return name


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
