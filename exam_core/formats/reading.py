"""Places of passages in rankings, as trec_eval has them, and whether the ranks of a file say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from exam_core.errors import UNSEEN, BadInput, Problems, visible
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import RANKINGS, TABLES, Table


@dataclass
class RanksAndScores:
    """How often ranks of a file say another order than scores: of so many rankings, the first of them."""

    rankings: int = 0
    odd: int = 0
    first: dict[str, Any] = field(default_factory=dict)


def trec_rank(rankings: pd.DataFrame, summary: RanksAndScores | None = None) -> pd.Series:
    """Rank from 1 within each run and query, by score as trec_eval reads it, ties by doc_id descending.

    trec_eval keeps scores as 32-bit floats, so scores that differ beyond that precision are ties. `summary` counts
    rankings, and those whose ranks say another order than their scores.
    """
    with np.errstate(over="ignore"):
        score = rankings["score"].to_numpy(np.float64).astype(np.float32)
    group = rankings.groupby(["run_id", "query_id"], sort=False).ngroup().to_numpy()
    if summary is not None:
        summary.rankings += int(group.max(initial=-1)) + 1
        contradictions = _contradictions(rankings, score, group)
        summary.odd += len(contradictions)
        if len(contradictions) and not summary.first:
            summary.first = contradictions.iloc[0].to_dict()
    order = np.lexsort((-score, group))
    tied = np.logical_and(*(values[order[1:]] == values[order[:-1]] for values in (score, group)))
    if tied.any():
        # np.unique orders texts by code point, as strcmp orders UTF-8.
        rows = np.unique(np.concatenate([order[:-1][tied], order[1:][tied]]))
        doc_order = np.zeros(len(score), np.int64)
        doc_order[rows] = np.unique(rankings["doc_id"].iloc[rows].to_numpy(object), return_inverse=True)[1]
        order = np.lexsort((-doc_order, -score, group))
    grouped = group[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]]) if len(order) else np.array([], int)
    lengths = np.diff(np.r_[starts, len(order)])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order)) - np.repeat(starts, lengths) + 1
    return pd.Series(rank, rankings.index, pd.Int32Dtype())


def _contradictions(
    rankings: pd.DataFrame, score: npt.NDArray[np.float32], group: npt.NDArray[np.int64]
) -> pd.DataFrame:
    """Of each run and query whose ranks say another order than its scores, the first passage that has a larger score
    than one of a smaller rank; `rank_before` is that rank. Scores are compared as trec_eval reads them.
    """
    rank = rankings["source_rank"].to_numpy(np.int64)
    # Of passages with one rank, the largest score first: a score that rises is that of a larger rank.
    order = np.lexsort((-score, rank, group))
    rises = (score[order][1:] > score[order][:-1]) & (np.diff(group[order]) == 0)
    later = order[1:][rises]
    contradictions = rankings.iloc[later].assign(rank_before=rank[order[:-1][rises]])
    return contradictions.drop_duplicates(["run_id", "query_id"], ignore_index=True)


LONGEST_ID = 1000
_NAMED = 5
TOGETHER = 2**14
"""Rows that are packed together."""
MANY_ROWS, MANY_BYTES = 2**17, 2**24
"""Rows of a table that are held, and their bytes."""
LINE, FIRST, PLACE = "line", "first", "place"
_RANKING = ("run_id", "query_id")
_NO_ID = re.compile(f"[\n\t{UNSEEN}]")
ID_REMEDY = "Ids and names are plain, visible texts. Correct it at its source."


def fault_of_id(value: str) -> str | None:
    """What makes a text unfit for an id or a name; None if nothing does."""
    if not value.strip():
        return "is blank"
    if len(value) > LONGEST_ID:
        return f"is longer than {LONGEST_ID:,} characters"
    match = _NO_ID.search(value)
    if match and "\ud800" <= match[0] <= "\udfff":
        return "is not UTF-8"
    return f"holds the control character U+{ord(match[0]):04X}" if match else None


@dataclass
class Aside:
    """Rows of a table that are too many for the memory, in a Parquet file.

    `path`: of the file, which nobody sees unless an import takes it. `name`: where it belongs, which ends with the
    first 16 hex digits of its SHA-256.
    """

    table: Table
    path: Path
    name: str
    rows: int

    def __len__(self) -> int:
        return self.rows

    def parts(self) -> Iterator[pd.DataFrame]:
        """The rows, some at a time."""
        with pq.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(2**16):
                yield self.table.from_arrow(pa.Table.from_batches([batch]))


Repeats = tuple[npt.NDArray[np.int64], list[dict[str, Any]]]
"""Places of rows that repeat the key of another one; and those with other values: these, line, line of the first."""


class RowStore(Protocol):
    """Rows of a table while a file is read, each with its line; a place counts them from 0, in the order of the file.

    `repeats` come in that order; `sorted` rows have the columns and their places.
    """

    def add(self, rows: pa.Table) -> None: ...
    def batches(self) -> Iterable[pa.Table]: ...
    def repeats(self, table: Table, progress: Progress) -> Iterable[Repeats]: ...
    def groups(self, key: Sequence[str]) -> int: ...
    def sorted(self, key: Sequence[str], columns: Sequence[str], progress: Progress) -> Iterable[pa.Table]: ...


class MakeSpill(Protocol):
    """Where rows go that are too many for the memory: `spill` while a file is read, then `write` of what is kept."""

    def write(self, table: Table, frames: Iterable[pd.DataFrame]) -> list[Aside]: ...
    def spill(self) -> RowStore: ...


@dataclass
class Reading:
    """Frames by table name, with what a user should hear about the file.

    `spills` has tables that are too large for a frame. `graders` describes every grader whose grades are in the frames,
    `counts` is what an import reports, `notes` are sentences about things that were tolerated. `columns` are those of a
    leaderboard that could be chosen. `judges` are the names of judgments, `runs` those in the lines of a file of runs;
    `ranks` says whether ranks and scores have one order.
    """

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    graders: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    spills: dict[str, list[Aside]] = field(default_factory=dict)
    ranks: RanksAndScores | None = None

    def parts(self, table: str) -> Iterator[pd.DataFrame]:
        """Rows of a table, so many at a time as there is room for."""
        if table in self.frames:
            yield self.frames[table]
        for spill in self.spills.get(table, ()):
            yield from spill.parts()

    def take(self, table: str, frames: Iterable[pd.DataFrame], make_spill: MakeSpill | None = None) -> None:
        """Take rows of a table in the place of those that are there; what comes in several frames goes aside."""
        rest = filter(len, frames)
        first = list(islice(rest, 2))
        if make_spill and len(first) > 1:
            self.spills[table] = make_spill.write(TABLES[table], chain(first, rest))
            self.frames.pop(table, None)
        else:
            self.frames[table] = (
                pd.concat([*first, *rest], ignore_index=True) if first[1:] else (*first, TABLES[table].of([]))[0]
            )
            self.spills.pop(table, None)

    def rows(self, table: str) -> int:
        """How many rows of a table there are."""
        return sum(map(len, (self.frames.get(table, ()), *self.spills.get(table, ()))))

    @property
    def is_empty(self) -> bool:
        """Whether it has no row."""
        return not any(map(self.rows, (*self.frames, *self.spills)))


@dataclass
class Rows:
    """Rows of one table while a file is read, each with the line that it came from.

    Some thousand at a time are packed into Arrow, where they take a tenth of the memory.

    Parameters
    ----------
    problems : takes a line for each row with an id that nobody can use, or that contradicts another one
    make_spill : where very many rows wait; None holds all of them
    named : what a line is called in a message on another one

    Attributes
    ----------
    merged : rows that only repeat another one, once they are decided
    ranks : of rankings, whether ranks say the order of scores
    """

    table: Table
    problems: Problems
    make_spill: MakeSpill | None = None
    named: Callable[[int], str] = "line {}".format
    merged: int = 0
    ranks: RanksAndScores | None = None
    _rows: list[tuple[Any, ...]] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)
    _packed: list[pa.Table] = field(default_factory=list)
    _spill: RowStore | None = None
    _count: int = 0
    _segments: int = 0
    """Rankings, or parts of them, whose rows stand together."""
    _last_ranking: tuple[str, ...] = ()

    def add(self, line: int, *values: Any) -> None:
        """Take a row: the columns in order; all rows leave out the same ones at the end, as null."""
        self._rows.append(values)
        self._lines.append(line)
        if len(self._rows) == TOGETHER:
            self._pack()

    def add_lines(self, lines: Sequence[int] | npt.NDArray[np.int64], table: pa.Table) -> None:
        """Take the rows of lines; all columns are there."""
        self._pack()
        self._take(lines, table.cast(self.table.schema))

    def _pack(self) -> None:
        """Pack the rows that were taken one by one, as happens by itself for every so many."""
        if self._rows:
            columns = zip(self.table.names, zip(*self._rows, strict=True), strict=False)
            self._take(self._lines, self.table.packed(dict(columns)))
            self._rows, self._lines = [], []

    def _take(self, lines: Sequence[int] | npt.NDArray[np.int64], rows: pa.Table) -> None:
        self._check_ids(lines, rows)
        rows = rows.append_column(LINE, pa.array(lines, pa.int64()))
        if self.make_spill and len(_starts(rows, self.table.key)) * 2 < len(rows):  # one line many times
            count = len(rows)
            rows = rows.group_by(self.table.names, use_threads=False).aggregate([(LINE, "min")])
            rows = rows.rename_columns([*self.table.names, LINE])
            self.merged += count - len(rows)
        if self.table is RANKINGS and len(rows):
            first, last = (tuple(rows[name][index].as_py() for name in _RANKING) for index in (0, -1))
            self._segments += len(_starts(rows, _RANKING)) - (first == self._last_ranking)
            self._last_ranking = last
        self._packed.append(rows)
        self._count += len(rows)
        are_many = self._count >= MANY_ROWS or sum(packed.nbytes for packed in self._packed) >= MANY_BYTES
        if self.make_spill and (self._spill or are_many):
            self._spill = self._spill or self.make_spill.spill()
            self._spill.add(pa.concat_tables(self._packed))
            self._packed = []

    def frame(self, what: str) -> tuple[pd.DataFrame, int]:
        """The rows as a frame, as of `decide`, and how many were merged away."""
        frames = list(self.decide(what))
        return (frames[0] if frames else self.table.of([])), self.merged

    def decide(self, what: str, progress: Progress = no_progress) -> Iterator[pd.DataFrame]:
        """The rows in their order, exact repeats merged and counted, conflicting repeats refused; rankings are ranked.

        They come some at a time where they are many. There are none where something is wrong.

        `what`: the row in a user's words, for instance "ranking of a passage".
        """
        self._pack()
        repeats = self._spill.repeats(self.table, part_of(progress, 0, 2)) if self._spill else self._repeats()
        repeated = [np.array([], np.int64)]
        for places, conflicts in repeats:
            repeated.append(places)
            for row in conflicts:
                self._refuse(what, row.pop(LINE), row.pop(FIRST), row)
        places = np.concatenate(repeated)
        self.merged += len(places)
        return iter(()) if self.problems.problems else self._frames(places, part_of(progress, 1, 2))

    def _repeats(self) -> Iterator[Repeats]:
        """As of a `RowStore`, of rows in memory."""
        rows = pa.concat_tables([self.table.schema.append(pa.field(LINE, pa.int64())).empty_table(), *self._packed])
        keys = rows.select(self.table.key)
        if len(keys.group_by(self.table.key, use_threads=False).aggregate([])) == len(keys):
            return
        firsts, places, conflicts = dict[tuple[Any, ...], int](), list[int](), list[dict[str, Any]]()
        for place, key in enumerate(zip(*(column.to_pylist() for column in keys.columns), strict=True)):
            if (first := firsts.setdefault(key, place)) < place:
                places.append(place)
                row, other = (rows.slice(index, 1).to_pylist()[0] for index in (place, first))
                if row | {LINE: 0} != other | {LINE: 0}:
                    conflicts.append({**row, FIRST: other[LINE]})
        yield np.array(places, np.int64), conflicts

    def _refuse(self, what: str, line: int, first: int, row: Mapping[str, Any]) -> None:
        """Report a row that repeats a key with other values than its first row."""
        key = self.table.key
        named = ", ".join(f"{_word(name)} {row[name]}" for name in key if name not in _UNSAID)
        # Columns of ours, the place that is made of a rank, and those that are empty.
        empty = [name for name, value in row.items() if pd.api.types.is_scalar(value) and pd.isna(value)]
        left_out = (*key, *_UNSAID, *empty, *(["rank"] if "source_rank" in row else []))
        self.problems.add(
            line,
            f"second {what} for {named}, with other values than {self.named(first)}",
            ", ".join(f"{_word(name)} {row[name]}" for name in row if name not in left_out),
            _KEEP_ONE + (_OF_JUDGES if what == "judgment" else ""),
        )

    def _frames(self, repeated: npt.NDArray[np.int64], progress: Progress) -> Iterator[pd.DataFrame]:
        ranks, self.ranks = None, RanksAndScores() if self.table is RANKINGS else None
        tables = self._distinct(repeated)
        if self.ranks and self._spill and self._spill.groups(_RANKING) == self._segments:
            tables = _whole_rankings(tables)
        elif self.ranks and self._spill:
            sorts, progress = part_of(progress, 0, 2), part_of(progress, 1, 2)
            ranks = self._ranks_of_sorted(self._spill, repeated, self.ranks, sorts)
        for rows in filter(len, tables):
            frame = self.table.from_arrow(rows if self._spill else in_packs(rows))
            if ranks is not None:
                frame["rank"] = pd.array(ranks[rows[PLACE].to_numpy()], frame["rank"].dtype)
            elif self.ranks:
                frame["rank"] = trec_rank(frame, self.ranks)
            yield frame
            progress(rows[PLACE][-1].as_py() / self._count)

    def _distinct(self, repeated: npt.NDArray[np.int64]) -> Iterator[pa.Table]:
        """The rows with their places, without those that repeat others."""
        start = 0
        for rows in self._spill.batches() if self._spill else [pa.concat_tables(self._packed)] if self._packed else ():
            places = np.arange(start, start + len(rows))
            start += len(rows)
            yield _without(rows.append_column(PLACE, pa.array(places)), repeated)

    def _ranks_of_sorted(
        self, spill: RowStore, repeated: npt.NDArray[np.int64], summary: RanksAndScores, progress: Progress
    ) -> npt.NDArray[np.int32]:
        """Ranks by place, of rankings whose rows stand apart."""
        ranks = np.zeros(self._count, np.int32)
        tables = spill.sorted(_RANKING, ("doc_id", "score", "source_rank"), progress)
        for rankings in _whole_rankings(_without(rows, repeated) for rows in tables):
            frame = rankings.to_pandas()
            ranks[frame[PLACE]] = trec_rank(frame, summary)
        return ranks

    def _check_ids(self, lines: Sequence[int] | npt.NDArray[np.int64], rows: pa.Table) -> None:
        """Report ids that nobody could tell apart or type; each distinct one is looked at once."""
        for column in self.table.columns:
            if column.kind != "text" or column.name not in (*self.table.key, "facet_id"):
                continue
            values = rows[column.name]
            if _are_plain(values):
                continue
            # Files write an empty facet for none.
            distinct = set(values.unique().to_pylist()) - ({None, ""} if column.nullable else {None})
            faults = {value: fault for value in distinct if (fault := fault_of_id(value))}
            wrong = pc.indices_nonzero(pc.is_in(values, pa.array(faults, pa.string()))).to_pylist() if faults else []
            for place in wrong:
                value = values[place].as_py()
                what = f"{column.name} {faults[value]}"
                self.problems.add(int(lines[place]), what, visible(value, line_ends=False), ID_REMEDY)


def in_packs(whole: pa.Table) -> pa.Table:
    """The same rows, packed as if they came one by one: what is written of them is the same to the byte."""
    return pa.concat_tables(whole.slice(index, TOGETHER).combine_chunks() for index in range(0, len(whole), TOGETHER))


def _without(rows: pa.Table, repeated: npt.NDArray[np.int64]) -> pa.Table:
    return rows.filter(pa.array(~np.isin(rows[PLACE].to_numpy(), repeated))) if len(repeated) else rows


def _starts(rows: pa.Table, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where rows begin that have the same values in some columns."""
    new = np.ones(len(rows), bool)
    new[1:] = False
    for name in names:
        column = rows[name].combine_chunks()
        new[1:] |= pc.fill_null(pc.not_equal(column[1:], column[:-1]), True).to_numpy(zero_copy_only=False)
    return np.flatnonzero(new)


def _whole_rankings(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Rows whose rankings stand together, some rankings at a time."""
    rest: list[pa.Table] = []
    for table in filter(len, tables):
        before = [item.slice(len(item) - 1) for item in rest[-1:]]
        last = int(_starts(pa.concat_tables([*before, table]), _RANKING)[-1]) - len(before)
        if last > 0 or (rest and last == 0):
            yield pa.concat_tables([*rest, table.slice(0, last)])
            rest = []
        rest.append(table.slice(max(last, 0)))
    if rest:
        yield pa.concat_tables(rest)


def _are_plain(texts: pa.ChunkedArray) -> bool:
    """Whether there are ASCII letters and signs alone, which can't make an id unfit."""
    if not pc.all(pc.ascii_is_printable(texts)).as_py() or pc.any(pc.ascii_is_space(texts)).as_py():
        return False
    length = pc.min_max(pc.binary_length(texts))
    return bool(length["min"].as_py() > 0 and length["max"].as_py() <= LONGEST_ID)


_KEEP_ONE = "Keep the one that is right and remove the other."
_OF_JUDGES = " If several judges gave them, name them in a column `judge`: each judge's are kept apart."
_WORDS = {"doc_id": "passage", "source_rank": "rank"}
_UNSAID = ("method", "qrels_id", "version", "cut", "text_hash")
"""Columns of ours that no file has."""


def _word(column: str) -> str:
    """What a column of ours is to somebody who reads a file: `run` for `run_id`."""
    return _WORDS.get(column) or column.removesuffix("_id").replace("_", " ")


def refuse_several_runs(path: Path, runs: Iterable[str], option: str) -> None:
    """Raise BadInput where an option names the run of a file that holds several: two systems would be taken for one."""
    names = sorted(set(runs))
    if len(names) > 1:
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        raise BadInput(
            f"{path}: holds {len(names):,} runs ({', '.join(names[:_NAMED])}{more}), and {option} names one.\n"
            "Leave it out, or give each run a file of its own. Nothing was stored."
        )
