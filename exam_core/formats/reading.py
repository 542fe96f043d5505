"""What a reader found in a file, and how it treats repeated rows."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from exam_core.errors import UNSEEN, BadInput, Problems, visible
from exam_core.formats.seen import Seen
from exam_core.progress import Progress, no_progress, within
from exam_core.tables import TABLES, Table

LONGEST_ID = 1000
_NAMED = 5
TOGETHER = 2**14
"""Rows that are packed together."""
PART_ROWS = 2**17
"""Rows of a table that are held, if not their file says more of what they belong to."""
FED, _SORTED, _DECIDED = 0.4, 0.6, 0.8
"""Shares of the time after which lines that stand apart are read, sorted and decided."""
_LINE, _NO_ROW = "line", np.iinfo(np.int32).min
_NO_ID = re.compile(f"[\n\t{UNSEEN}]")
_ID_REMEDY = "Ids and names are plain, visible texts. Correct it at its source."


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
class Aside:
    """Rows of a table that are too many for the memory, in a Parquet file.

    Parameters
    ----------
    path : of the file, which nobody sees unless an import takes it
    name : where it belongs, which ends with the first 16 hex digits of its SHA-256
    lengths : rows of each part, as they were put there
    """

    table: Table
    path: Path
    name: str
    lengths: Sequence[int]

    def __len__(self) -> int:
        return sum(self.lengths)

    def parts(self) -> Iterator[pd.DataFrame]:
        """The parts as they were put there."""
        held, lengths = self.table.schema.empty_table(), iter(self.lengths)
        length = next(lengths)
        with pq.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(2**16):
                held = pa.concat_tables(
                    [held, pa.Table.from_batches([batch]).select(self.table.names).cast(held.schema)]
                )
                while length <= len(held):
                    yield self.table.from_arrow(held.slice(0, length))
                    held, length = held.slice(length), next(lengths, len(self) + 1)


class PutAside(Protocol):
    """Puts rows of a table aside, part by part; `done` ends it."""

    def add(self, frame: pd.DataFrame) -> None: ...
    def done(self) -> list[Aside]: ...


class ShelvedRows(Protocol):
    """Very many rows: sorted by columns, and as they came."""

    def sorted(self, columns: Sequence[str], progress: Progress = ...) -> Iterable[pa.Table]: ...
    def rows(self) -> Iterable[pa.Table]: ...


Shelve = Callable[[Iterable[pa.Table]], AbstractContextManager[ShelvedRows]]


class MakeAside(Protocol):
    """Where rows of a table go that are too many for the memory, and where such wait to be sorted."""

    def __call__(self, table: Table) -> PutAside: ...
    def shelve(self, parts: Iterable[pa.Table]) -> AbstractContextManager[ShelvedRows]: ...


@dataclass
class _Held:
    """A shelf in memory."""

    table: pa.Table

    def sorted(self, columns: Sequence[str], progress: Progress = no_progress) -> Iterable[pa.Table]:
        ordered = self.table.sort_by([(name, "ascending") for name in columns])
        progress(1)
        return [ordered]

    def rows(self) -> Iterable[pa.Table]:
        return [self.table]


def _held(parts: Iterable[pa.Table]) -> AbstractContextManager[ShelvedRows]:
    return nullcontext(_Held(pa.concat_tables(parts)))


@dataclass
class RanksAndScores:
    """How often ranks of a file say another order than scores: of so many rankings, the first of them."""

    rankings: int = 0
    odd: int = 0
    first: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reading:
    """Frames by table name, with what a user should hear about the file.

    `aside` has tables that are too large for a frame. `graders` describes every grader whose grades are in the frames,
    `counts` is what an import reports, `notes` are sentences about things that were tolerated. `tails` has the words
    after a run's name in column six, where all its lines that go on have the same. `columns` are those of a leaderboard
    that could be chosen. `judges` are the names of judgments. `ranks` is known where it was seen while lines were read.
    """

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tails: dict[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    aside: dict[str, list[Aside]] = field(default_factory=dict)
    ranks: RanksAndScores | None = None

    def parts(self, table: str) -> Iterator[pd.DataFrame]:
        """Rows of a table, so many at a time as there is room for."""
        if table in self.frames:
            yield self.frames[table]
        for aside in self.aside.get(table, ()):
            yield from aside.parts()

    def all_parts(self, tables: Iterable[str]) -> Iterator[tuple[str, pd.DataFrame]]:
        """Rows of several tables, each part with the name of its table."""
        return ((table, frame) for table in tables for frame in self.parts(table))

    @property
    def is_empty(self) -> bool:
        """Whether it has no row."""
        return not any(map(len, chain(self.frames.values(), *self.aside.values())))


class Scattered(Exception):  # noqa: N818
    """Rows that belong together stand apart in a file of more rows than are held."""


def whole(read: Callable[..., Iterator[Reading]], aside: MakeAside | None = None) -> Reading:
    """All parts of a file as one.

    Parameters
    ----------
    read : begins to read it, with a way to `shelve` rows where those that belong together turn out to stand apart
    aside : where rows of a table go that come in several parts; None holds all of them
    """
    try:
        return _whole(read(), aside)
    except Scattered:
        return _whole(read(shelve=aside.shelve if aside else _held), aside)


def _whole(parts: Iterable[Reading], aside: MakeAside | None) -> Reading:
    frames: dict[str, list[pd.DataFrame]] = {}
    put: dict[str, PutAside] = {}
    last = Reading()
    for last in parts:
        for name, frame in last.frames.items():
            held = frames.setdefault(name, [])
            if not len(frame) and (held or name in put):
                continue
            held.append(frame)
            if aside and len(held) > 1 and name not in put:
                put[name] = aside(TABLES[name])
            if name in put:
                for one in held:
                    put[name].add(one)
                held.clear()
    return replace(
        last,
        frames={name: _joined(TABLES[name], some) for name, some in frames.items() if some},
        aside={name: one.done() for name, one in put.items()},
    )


def _joined(table: Table, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    if len(frames) == 1:
        return frames[0]
    # Labels of models may be null where judgments are not.
    table = replace(table, columns=tuple(replace(column, nullable=True) for column in table.columns))
    return table.from_arrow(in_packs(pa.concat_tables(map(table.arrow, frames))))


@dataclass
class Rows:
    """Rows of one table while a file is read, each with the line that it came from.

    Some thousand at a time are packed into Arrow, where they take a tenth of the memory. Of rows that say the same in
    the same words and are packed together there is one: a file may repeat a line a million times.

    Parameters
    ----------
    group : columns in which rows of one key agree: where a file has those of each group together, they come in parts
    finish : fills in what depends on all rows of a group
    fills : the column of whole numbers that it fills in, if there is one

    Attributes
    ----------
    lines : of each row
    again : of each line that only repeats a row, the place of that row, and the line
    merged : rows of parts that were merged away
    of_ids, of_keys : what is wrong with rows of parts, which is said behind what is wrong with lines
    """

    table: Table
    group: tuple[str, ...] = ()
    finish: Callable[[pd.DataFrame], None] | None = None
    fills: str = ""
    rows: dict[tuple[Any, ...], int] = field(default_factory=dict)
    lines: array[int] = field(default_factory=lambda: array("q"))
    again: array[int] = field(default_factory=lambda: array("q"))
    packed: list[pa.Table] = field(default_factory=list)
    of_ids: Problems = field(default_factory=lambda: Problems(Path()))
    of_keys: Problems = field(default_factory=lambda: Problems(Path()))
    merged: int = 0
    _checked: bool = False
    _kept: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    _before: Seen = field(default_factory=Seen)
    _enough: int = field(default_factory=lambda: PART_ROWS)
    _at_once: bool = False

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
        if len(self.rows) == TOGETHER:
            self._pack()

    def add_lines(self, lines: Sequence[int] | npt.NDArray[np.int64], table: pa.Table) -> None:
        """Take the rows of lines; all columns are there."""
        self._pack()
        self._at_once = True
        self.packed.append(table.cast(self.table.schema))
        self.lines.frombytes(np.asarray(lines, np.int64).tobytes())

    def _pack(self) -> None:
        if self.rows:
            columns = zip(self.table.names, zip(*self.rows, strict=True), strict=False)
            self.packed.append(self.table.packed(dict(columns)))
            self.rows = {}

    def parts(
        self, feed: Iterable[object], what: str, shelve: Shelve | None = None, progress: Progress = no_progress
    ) -> Iterator[pd.DataFrame]:
        """Groups that are complete, some at a time, while rows are added; what is left is `frame`.

        Parameters
        ----------
        feed : adds some rows at each step
        what : as of `frame`
        progress : told from `FED` on, where they are sorted
        shelve : keeps very many rows, where those of a group stand apart; parts are in the order of the file then, too

        Raises Scattered where a group was complete already, and rows can be kept nowhere.
        """
        if shelve:
            yield from self._sorted_parts(feed, what, shelve, progress)
        else:
            for _ in feed:
                if (part := self._part(what)) is not None:
                    yield part

    def _sorted_parts(
        self, feed: Iterable[object], what: str, shelve: Shelve, progress: Progress
    ) -> Iterator[pd.DataFrame]:
        last, decided = 0, 0

        def added() -> Iterator[pa.Table]:
            nonlocal last
            for _ in feed:
                some = self._with_lines()
                last = max(last, pc.max(some[_LINE]).as_py() or 0)
                yield some

        with shelve(added()) as shelf:
            # By line, what its row is filled in with; a line that only repeats another one has no row.
            filled = np.full(last + 1, _NO_ROW, np.int32)
            ordered = shelf.sorted((*self.group, _LINE), within(progress, FED, _SORTED))
            for lines, frame in self._decided_in_order(ordered, what):
                decided += len(lines)
                progress(min(_SORTED + (_DECIDED - _SORTED) * decided / max(last, 1), _DECIDED))
                filled[lines] = frame[self.fills].to_numpy(np.int32) if self.fills else 0
            for some in shelf.rows():
                lines = some[_LINE].to_numpy()
                of_lines = filled[lines]
                progress(_DECIDED + (1 - _DECIDED) * (int(lines.max(initial=0)) / max(last, 1)))
                frame = self.table.from_arrow(some.filter(pa.array(of_lines != _NO_ROW)))
                if self.fills:
                    frame[self.fills] = pd.array(of_lines[of_lines != _NO_ROW], frame[self.fills].dtype)
                yield frame

    def _decided_in_order(
        self, tables: Iterable[pa.Table], what: str
    ) -> Iterator[tuple[npt.NDArray[np.int64], pd.DataFrame]]:
        """Rows that are kept of sorted ones, with their lines."""
        ordered = Rows(self.table, self.group, self.finish, of_keys=self.of_keys, _checked=True)
        for some in tables:
            ordered.add_lines(some[_LINE].to_numpy(), some.drop_columns(_LINE))
            if (part := ordered._part(what)) is not None:
                yield ordered._kept, part
        rest = ordered._rest(what)
        yield ordered._kept, rest
        self.merged += ordered.merged

    def _with_lines(self) -> pa.Table:
        """What is held, with lines, also those that repeat others; nothing is held then."""
        self._pack()
        held = pa.concat_tables([self.table.schema.empty_table(), *self.packed])
        self._check_ids(held, self.of_ids)
        again = np.array(self.again, np.int64).reshape(-1, 2)
        lines = np.concatenate([np.array(self.lines, np.int64), again[:, 1]])
        held = pa.concat_tables([held, held.take(again[:, 0])])
        self.packed, self.lines, self.again = [], array("q"), array("q")
        return held.append_column(_LINE, pa.array(lines))

    def _part(self, what: str) -> pd.DataFrame | None:
        """The groups that are complete, where enough rows are held; None where there are not."""
        if len(self.lines) < self._enough:
            return None
        self._pack()
        whole = pa.concat_tables(self.packed)
        start = int(_starts(whole, self.group)[-1])
        if not start:
            self._enough = 2 * len(self.lines)
            return None
        again = np.array(self.again, np.int64).reshape(-1, 2)
        later, lines = again[:, 0] >= start, self.lines
        self.again, self.lines = array("q", again[~later].ravel().tolist()), lines[:start]
        frame = self._decided(whole.slice(0, start), what)
        self.again, self.lines = array("q", (again[later] - (start, 0)).ravel().tolist()), lines[start:]
        self.packed, self._enough = [whole.slice(start)], PART_ROWS
        return frame

    def frame(self, problems: Problems, what: str) -> tuple[pd.DataFrame, int]:
        """The rows as a frame, exact repeats merged and counted, conflicting repeats refused; of parts the last one.

        Parameters
        ----------
        problems : takes a line for each row that repeats a key with other values
        what : the row in a user's words, for instance "ranking of a passage"

        Returns
        -------
        the frame, and how many rows were merged away, in all parts
        """
        frame = self._rest(what)
        problems.take(self.of_ids)
        problems.take(self.of_keys)
        return frame, self.merged

    def cut(self, what: str) -> pd.DataFrame:
        """All rows that are held, of whose keys no other rows will come; what is wrong with them `frame` says."""
        frame = self._rest(what)
        self.lines, self.again = array("q"), array("q")
        return frame

    def _rest(self, what: str) -> pd.DataFrame:
        self._kept = np.zeros(0, np.int64)
        if not self.lines:
            return empty(self.table.name)
        self._pack()
        whole, self.packed = pa.concat_tables(self.packed), []
        return self._decided(whole, what)

    def _decided(self, whole: pa.Table, what: str) -> pd.DataFrame:
        if self.group:
            self._refuse_scattered(whole)
        if not self._checked:
            self._check_ids(whole, self.of_ids)
        frame = self.table.from_arrow(in_packs(whole) if self._at_once else whole)
        repeated = frame.duplicated(list(self.table.key)).to_numpy()
        self._kept = np.array(self.lines, np.int64)[~repeated]
        if repeated.any():
            self._refuse_conflicts(frame, self.of_keys, what)
            frame = frame[~repeated].reset_index(drop=True)
            if self._at_once:
                frame = self.table.from_arrow(in_packs(self.table.arrow(frame)))
        if self.finish:
            self.finish(frame)
        self.merged += int(repeated.sum()) + len(self.again) // 2
        return frame

    def _refuse_scattered(self, whole: pa.Table) -> None:
        firsts = whole.select(self.group).take(_starts(whole, self.group))
        keys = zip(*(column.to_pylist() for column in firsts.columns), strict=True)
        hashes = np.unique(np.fromiter(map(hash, keys), np.int64, len(firsts)))
        if (self._before.find(hashes)[0] >= 0).any():
            raise Scattered
        self._before.add(hashes, hashes & 1, hashes)

    def _check_ids(self, whole: pa.Table, problems: Problems) -> None:
        """Report ids that nobody could tell apart or type; each distinct one is looked at once, some at a time."""
        for column in self.table.columns:
            if column.kind != "text" or column.name not in (*self.table.key, "facet_id"):
                continue
            values, faults = whole[column.name], dict[str, str]()
            if _are_plain(values):
                continue
            distinct = values.unique()
            for start in range(0, len(distinct), TOGETHER):
                # Files write an empty facet for none.
                some = set(distinct.slice(start, TOGETHER).to_pylist()) - ({None, ""} if column.nullable else {None})
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
        for start in range(0, len(told), TOGETHER):
            some = told[start : start + TOGETHER]
            for (place, line), row in zip(some, frame.iloc[[one for one, _ in some]].to_dict("records"), strict=True):
                named = ", ".join(f"{_word(name)} {row[name]}" for name in key if name not in _UNSAID)
                problems.add(
                    line,
                    f"second {what} for {named}, with other values than line {self.lines[first_of[place]]}",
                    ", ".join(f"{_word(name)} {row[name]}" for name in row if name not in (*key, *_unsaid(row))),
                    _KEEP_ONE + (_OF_JUDGES if what == "judgment" else ""),
                )

    def _lines_of(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Some rows, each with all lines that say it, in the order of the file."""
        again = np.array(self.again, np.int64).reshape(-1, 2)
        found = [(place, self.lines[place]) for place in places]
        found += [(place, line) for place, line in again[np.isin(again[:, 0], places)].tolist()]
        return sorted(found, key=itemgetter(1))


def in_packs(whole: pa.Table) -> pa.Table:
    """The same rows, packed as if they came one by one: what is written of them is the same to the byte."""
    return pa.concat_tables(whole.slice(at, TOGETHER).combine_chunks() for at in range(0, len(whole), TOGETHER))


def _starts(whole: pa.Table, group: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where rows begin that agree in some columns."""
    new = np.zeros(len(whole), bool)
    new[:1] = True
    for name in group:
        column = whole[name].combine_chunks()
        new[1:] |= pc.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)
    return np.flatnonzero(new)


def _are_plain(texts: pa.ChunkedArray) -> bool:
    """Whether there are ASCII letters and signs alone, which can't make an id unfit."""
    if not pc.all(pc.ascii_is_printable(texts)).as_py() or pc.any(pc.ascii_is_space(texts)).as_py():
        return False
    length = pc.min_max(pc.binary_length(texts))
    return bool(length["min"].as_py() > 0 and length["max"].as_py() <= LONGEST_ID)


_KEEP_ONE = "Keep the line that is right and remove the other."
_OF_JUDGES = " If several judges gave them, name them in a column `judge`: each judge's are kept apart."
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
