"""Rows of CSV files with a header, whose cells may go over several lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from exam_core.errors import Problems
from exam_core.formats.format import Opening
from exam_core.formats.lines import LONGEST_TEXT, text_lines
from exam_core.progress import Progress, no_progress

Names = Mapping[str, Sequence[str]]
"""Our fields, each with the names that files have for it."""


@dataclass(frozen=True)
class Row:
    """A row by its header's names, in lower case, and the line where it begins."""

    line: int
    cells: dict[str, str]

    def of(self, names: Sequence[str]) -> str:
        """The cell of the first of these names that the header has; empty if it has none."""
        return next((self.cells[name] for name in names if name in self.cells), "").strip()


def csv_rows(
    path: Path, problems: Problems, progress: Progress = no_progress, *, delimiter: str = ","
) -> Iterator[Row]:
    """Rows below the header; one that has another number of cells, or is no CSV, goes to `problems`.

    A blank line within a cell stays one.

    Parameters
    ----------
    delimiter : what stands between cells
    """
    csv.field_size_limit(LONGEST_TEXT)
    reader = csv.reader(_whole(text_lines(path, problems, progress)), strict=True, delimiter=delimiter)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        if len(set(header)) < len(header):
            twice = next(name for place, name in enumerate(header) if name in header[:place])
            problems.add(1, f"two columns are named {twice}", remedy="Name each column once.")
            return
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(header):
                yield Row(line, dict(zip(header, cells, strict=True)))
            elif cells:
                what = f"{len(cells)} cells where the header has {len(header)}"
                remedy = "Write as many cells as the header has; a text with commas or quotes stands in quotes."
                problems.add(line, what, ", ".join(cells), remedy)
            line = reader.line_num + 1
    except csv.Error as error:
        problems.add(reader.line_num, f"not a line of a table: {error}", remedy="Save the file as CSV again.")


def delimiter_of(header: str) -> str:
    """What stands between the cells of a header: a comma, or what spreadsheets of some countries write instead."""
    return max(",;\t", key=header.count)


def has_columns(opening: Opening, *groups: Sequence[str], delimiter: str = ",") -> bool:
    """Whether a file's first line names a column of each group."""
    if not opening.lines:
        return False
    named = {cell.strip().strip('"').lower() for cell in opening.lines[0].split(delimiter)}
    return all(named & set(group) for group in groups)


def refuse_without(row: Row, names: Names, needed: Sequence[str], problems: Problems) -> bool:
    """Report the needed fields that the header has under no name; whether there are some."""
    missing = [field for field in needed if not set(names[field]) & set(row.cells)]
    if missing:
        wanted = "; ".join(f"{field} ({' or '.join(names[field])})" for field in missing)
        problems.add(1, f"no column for {wanted}", ", ".join(row.cells), "Name the columns in the first line.")
    return bool(missing)


def _whole(lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Lines with their ends, and those between them that were left out as blank."""
    last = 0
    for number, text in lines:
        yield from ["\n"] * (number - last - 1)
        yield f"{text}\n"
        last = number
