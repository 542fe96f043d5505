"""What a reader found in a file, and how it treats repeated rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from exam_core.errors import Problems
from exam_core.tables import TABLES, Table


@dataclass
class Reading:
    """Frames by table name, with what a user should hear about the file.

    `graders` describes every grader whose grades are in the frames, `counts` is what an import
    reports, `notes` are sentences about things that were tolerated.
    """

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


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
        frame = self.table.frame(self.columns())
        return merge_repeats(frame, self.lines, self.table, problems, what)


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
