"""Tags of runs as CSV: a row for each run and tag."""

from __future__ import annotations

from pathlib import Path

from exam_core.errors import Problems
from exam_core.formats.delimited import table_rows

NAMES = {"run_id": ("run",), "tag": ()}


def read_run_tags(path: Path) -> dict[str, list[str]]:
    """The tags of each run; a row whose tag is empty names a run without tags.

    Raises BadInput where a column is missing, a row has no run, or the same row stands there twice.
    """
    problems, found = Problems(path), dict[str, list[str]]()
    for row in table_rows(path, NAMES, problems, needed=("run_id", "tag")):
        run, tag = row.of("run_id"), row.of("tag")
        if not run:
            problems.add(row.line, "no run_id", f",{tag}", "Name the run that has the tag.")
        elif tag in found.get(run, []):
            problems.add(row.line, f"{run} has this tag already", f"{run},{tag}", "Remove one of the two lines.")
        else:
            own = found.setdefault(run, [])
            own += [tag] if tag else []
    problems.raise_if_any()
    return found
