"""Small files of names, and what names of files say: the name of a run, and words behind it."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import ExamboardError, Problems, visible
from exam_core.formats.delimited import table_rows

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


NAMES = {"run_id": ("run",), "tag": ()}


def read_run_tags(path: Path) -> dict[str, list[str]]:
    """The tags of each run; a row whose tag is empty names a run without tags.

    Raises BadInput where a column is missing, a row has no run, or the same row stands there twice.
    """
    problems, tags = Problems(path), dict[str, list[str]]()
    for row in table_rows(path, NAMES, problems, needed=("run_id", "tag")):
        run, tag = row.of("run_id"), row.of("tag")
        if not run:
            problems.add(row.line, "no run_id", f",{tag}", "Name the run that has the tag.")
        elif tag in tags.get(run, []):
            problems.add(row.line, f"{run} has this tag already", f"{run},{tag}", "Remove one of the two lines.")
        else:
            own = tags.setdefault(run, [])
            own += [tag] if tag else []
    problems.raise_if_any()
    return tags


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
