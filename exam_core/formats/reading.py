"""What a reader found in a file, and how it treats repeated rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exam_core.errors import UNSEEN, BadInput, Problems, visible
from exam_core.tables import TABLES, Table

LONGEST_ID = 1000
_NAMED = 5
_NO_ID = re.compile(f"[\n\t{UNSEEN}]")
_ID_REMEDY = "Ids and names are plain texts that can be told apart on a screen. Correct it where it comes from."


def fault_of_id(value: str) -> str | None:
    """What makes a text unfit for an id or a name; None if nothing does."""
    if not value.strip():
        return "is blank"
    if len(value) > LONGEST_ID:
        return f"is longer than {LONGEST_ID:,} characters"
    found = _NO_ID.search(value)
    if found and "\ud800" <= found[0] <= "\udfff":
        return "is not UTF-8"
    return f"holds the control character U+{ord(found[0]):04X}" if found else None


@dataclass
class Reading:
    """Frames by table name, with what a user should hear about the file.

    `graders` describes every grader whose grades are in the frames, `counts` is what an import
    reports, `notes` are sentences about things that were tolerated. `tails` has the words after a run's name in column
    six, where all its lines that go on have the same.
    """

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tails: dict[str, str] = field(default_factory=dict)


@dataclass
class Rows:
    """Rows of one table while a file is read, each with the line that it came from."""

    table: Table
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, line: int, *values: Any) -> None:
        """Append a row: the columns in order; all rows leave out the same ones at the end, as null."""
        self.rows.append(values)
        self.lines.append(line)

    def columns(self) -> dict[str, Sequence[Any]]:
        """The values by column."""
        width = len(self.rows[0]) if self.rows else len(self.table.names)
        values = zip(*self.rows, strict=True) if self.rows else [()] * width
        return dict(zip(self.table.names[:width], values, strict=True))

    def frame(self, problems: Problems, what: str) -> tuple[pd.DataFrame, int]:
        """The rows as a frame, exact repeats merged and counted, conflicting repeats refused.

        Parameters
        ----------
        problems : takes a line for each row that repeats a key with other values
        what : the row in a user's words, for instance "ranking of a passage"

        Returns
        -------
        the frame and the number of rows that were merged away
        """
        if not self.rows:
            return empty(self.table.name), 0
        columns = self.columns()
        self._check_ids(columns, problems)
        frame = self.table.frame(columns)
        return merge_repeats(frame, self.lines, self.table, problems, what)

    def _check_ids(self, columns: Mapping[str, Sequence[Any]], problems: Problems) -> None:
        """Report ids that nobody could tell apart or type; each distinct one is looked at once."""
        for column in self.table.columns:
            if column.kind != "text" or column.name not in (*self.table.key, "facet_id"):
                continue
            values = columns.get(column.name, ())
            # Files write an empty facet for none.
            distinct = set(values) - ({None, ""} if column.nullable else {None})
            if "".join(distinct).isprintable() and all(map(str.strip, distinct)) and not _has_long(distinct):
                continue
            faults = {value: fault for value in distinct if (fault := fault_of_id(value))}
            for line, value in zip(self.lines, values, strict=True) if faults else ():
                if value in faults:
                    what = f"{column.name} {faults[value]}"
                    problems.add(line, what, visible(value, line_ends=False), _ID_REMEDY)


def _has_long(values: Iterable[str]) -> bool:
    return max(map(len, values), default=0) > LONGEST_ID


def refuse_several_runs(path: Path, runs: Iterable[str], option: str) -> None:
    """Raise BadInput where an option names the run of a file that holds several: two systems would be taken for one."""
    names = sorted(set(runs))
    if len(names) > 1:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        raise BadInput(
            f"{path}: holds {len(names):,} runs ({', '.join(names[:_NAMED])}{more}), and {option} names one.\n"
            "Leave it out, or give each run a file of its own. Nothing was stored."
        )


def merge_repeats(
    frame: pd.DataFrame, lines: Sequence[int], table: Table, problems: Problems, what: str
) -> tuple[pd.DataFrame, int]:
    """Merge exact repeats of a row; report to `problems` those that repeat a key with other values."""
    key = list(table.key)
    repeated = frame.duplicated(key, keep="first").to_numpy()
    if not repeated.any():
        return frame, 0
    # Whole files are repeated now and then, so all rows are compared with their key's first at once.
    suspects = frame[frame.duplicated(key, keep=False)].map(_comparable)
    firsts = suspects[~suspects.duplicated(key)]
    firsts = firsts.iloc[suspects.groupby(key, sort=False).ngroup().to_numpy()]
    different = (suspects.to_numpy(object) != firsts.to_numpy(object)).any(axis=1)
    for first, label in zip(firsts.index[different], suspects.index[different], strict=True):
        row = frame.loc[label]
        name = ", ".join(f"{column} {row[column]}" for column in key)
        problems.add(
            lines[label],
            f"second {what} for {name}, with other values than line {lines[first]}",
            ", ".join(f"{column} {row[column]}" for column in table.names if column not in key),
            "Keep the line that is right and remove the other.",
        )
    return frame[~repeated].reset_index(drop=True), int(repeated.sum())


def _comparable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | np.ndarray) else str(value)


def empty(table: str) -> pd.DataFrame:
    """A frame of `table` without rows."""
    return TABLES[table].frame({name: [] for name in TABLES[table].names})
