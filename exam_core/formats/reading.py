"""What a reader found in a file, and how it treats repeated rows."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.errors import UNSEEN, BadInput, Problems, visible
from exam_core.tables import TABLES, Table

LONGEST_ID = 1000
_NAMED = 5
_TOGETHER = 2**14
"""Rows that are packed together."""
_NO_ID = re.compile(f"[\n\t{UNSEEN}]")
_ID_REMEDY = "Ids and names are plain texts that look different on a screen. Correct it where it comes from."


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
    six, where all its lines that go on have the same. `columns` are those of a leaderboard that could be chosen.
    """

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tails: dict[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass
class Rows:
    """Rows of one table while a file is read, each with the line that it came from.

    Some thousand at a time are packed into Arrow, where they take a tenth of the memory. Of rows that say the same in
    the same words and are packed together there is one: a file may repeat a line a million times.

    Attributes
    ----------
    lines : of each row
    again : of each line that only repeats a row, the place of that row, and the line
    """

    table: Table
    rows: dict[tuple[Any, ...], int] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))
    again: array[int] = field(default_factory=lambda: array("q"))
    packed: list[pa.Table] = field(default_factory=list)

    def add(self, line: int, *values: Any) -> None:
        """Take a row: the columns in order; all rows leave out the same ones at the end, as null."""
        new = len(self.lines)
        try:
            place = self.rows.setdefault(values, new)
        except TypeError:  # a list
            place = self.rows.setdefault(tuple(tuple(one) if isinstance(one, list) else one for one in values), new)
        if place < new:
            self.again.extend((place, line))
            return
        self.lines.append(line)
        if len(self.rows) == _TOGETHER:
            self._pack()

    def _pack(self) -> None:
        self.packed.append(self.table.packed(dict(zip(self.table.names, zip(*self.rows, strict=True), strict=False))))
        self.rows = {}

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
        if not self.lines:
            return empty(self.table.name), 0
        if self.rows:
            self._pack()
        whole, self.packed = pa.concat_tables(self.packed), []
        self._check_ids(whole, problems)
        frame = self.table.from_arrow(whole)
        repeated = frame.duplicated(list(self.table.key)).to_numpy()
        if repeated.any():
            self._refuse_conflicts(frame, problems, what)
            frame = frame[~repeated].reset_index(drop=True)
        return frame, int(repeated.sum()) + len(self.again) // 2

    def _check_ids(self, whole: pa.Table, problems: Problems) -> None:
        """Report ids that nobody could tell apart or type; each distinct one is looked at once, some at a time."""
        for column in self.table.columns:
            if column.kind != "text" or column.name not in (*self.table.key, "facet_id"):
                continue
            values, faults = whole[column.name], dict[str, str]()
            distinct = values.unique()
            for start in range(0, len(distinct), _TOGETHER):
                # Files write an empty facet for none.
                some = set(distinct.slice(start, _TOGETHER).to_pylist()) - ({None, ""} if column.nullable else {None})
                longest = max(map(len, some), default=0)
                if not "".join(some).isprintable() or not all(map(str.strip, some)) or longest > LONGEST_ID:
                    faults |= {value: fault for value in some if (fault := fault_of_id(value))}
            wrong = pc.indices_nonzero(pc.is_in(values, pa.array(faults, pa.string()))).to_pylist() if faults else []
            for place, line in self._lines_of(wrong):
                value = values[place].as_py()
                what = f"{column.name} {faults[value]}"
                problems.add(line, what, visible(value, line_ends=False), _ID_REMEDY)

    def _refuse_conflicts(self, frame: pd.DataFrame, problems: Problems, what: str) -> None:
        """Report the rows that repeat a key with other values than its first row."""
        key = list(self.table.key)
        shared = np.flatnonzero(frame.duplicated(key, keep=False))
        suspects = frame.iloc[shared]
        group = suspects.groupby(key, sort=False, dropna=False).ngroup().to_numpy()
        firsts = np.unique(group, return_index=True)[1][group]
        different = np.zeros(len(shared), bool)
        for column in self.table.columns:
            values = suspects[column.name]
            codes = pd.factorize(values.map(tuple, na_action="ignore") if column.kind == "texts" else values)[0]
            different |= codes != codes[firsts]
        first_of = dict(zip(shared[different].tolist(), shared[firsts[different]].tolist(), strict=True))
        told = self._lines_of(list(first_of))
        # Some at a time: a million rows take their memory in Arrow alone.
        for start in range(0, len(told), _TOGETHER):
            some = told[start : start + _TOGETHER]
            for (place, line), row in zip(some, frame.iloc[[one for one, _ in some]].to_dict("records"), strict=True):
                named = ", ".join(f"{_word(name)} {row[name]}" for name in key if name not in _UNSAID)
                problems.add(
                    line,
                    f"second {what} for {named}, with other values than line {self.lines[first_of[place]]}",
                    ", ".join(f"{_word(name)} {row[name]}" for name in row if name not in (*key, *_unsaid(row))),
                    "Keep the line that is right and remove the other.",
                )

    def _lines_of(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Some rows, each with all lines that say it, in the order of the file."""
        again = np.array(self.again, np.int64).reshape(-1, 2)
        found = [(place, self.lines[place]) for place in places]
        found += [(place, line) for place, line in again[np.isin(again[:, 0], places)].tolist()]
        return sorted(found, key=itemgetter(1))


_WORDS = {"doc_id": "passage", "source_rank": "rank"}
_UNSAID = ("method", "qrels_id", "version", "cut", "text_hash")
"""Columns of ours that no file has."""


def _word(column: str) -> str:
    """What a column of ours is to somebody who reads a file: `run` for `run_id`."""
    return _WORDS.get(column) or column.removesuffix("_id").replace("_", " ")


def _unsaid(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns that a message leaves out: ours, the place that is made of a rank, and those that are empty."""
    empty = [name for name, value in row.items() if pd.api.types.is_scalar(value) and pd.isna(value)]
    return (*_UNSAID, *empty, *(["rank"] if "source_rank" in row else []))


def refuse_several_runs(path: Path, runs: Iterable[str], option: str) -> None:
    """Raise BadInput where an option names the run of a file that holds several: two systems would be taken for one."""
    names = sorted(set(runs))
    if len(names) > 1:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        raise BadInput(
            f"{path}: holds {len(names):,} runs ({', '.join(names[:_NAMED])}{more}), and {option} names one.\n"
            "Leave it out, or give each run a file of its own. Nothing was stored."
        )


def empty(table: str) -> pd.DataFrame:
    """A frame of `table` without rows."""
    return TABLES[table].of([])
