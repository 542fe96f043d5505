"""Names of files: as they are shown, and what they call that which a file holds."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import visible

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
