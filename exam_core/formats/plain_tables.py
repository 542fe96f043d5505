"""Plain tables: a format with a row for each thing is declared by its columns, and read by this module alone.

    VOTES = PlainTable(
        table=JUDGMENTS,
        columns={"query_id": an_id(*QUERY_ID), "doc_id": an_id("hit"), "relevance": whole("stars", among=range(6))},
        of_file="qrels_id",
        what="judgment",
    )
    ROWS = (VOTES.format(QRELS, looks="votes of users", order=85),)

A file is a table or JSON in any form of `records`; its columns stand in any order, under our names or declared ones.
Cells are checked, each distinct one once, and a line with a wrong cell goes to `Problems`. `columns_of_rows` gives the
other rows some thousand at a time, `records` one after the other, and `read` as a frame of `tables.TABLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from exam_core.errors import Problems, visible
from exam_core.formats.delimited import Names, Row, columns_of, with_point
from exam_core.formats.extra import encode_extra
from exam_core.formats.format import Dialect, Format, Kind, Opening
from exam_core.formats.numbers import as_number, as_whole
from exam_core.formats.reading import ID_REMEDY, TOGETHER, MakeSpill, Reading, Rows, fault_of_id
from exam_core.formats.records import first_records, record_rows, refuse_texts_for_ids
from exam_core.progress import Progress, no_progress, part_of
from exam_core.tables import JUDGMENTS, Table


@dataclass(frozen=True)
class Column:
    """A column of a plain table.

    Parameters
    ----------
    names : what files call it, besides our name
    read : what a cell says; raises ValueError with what is wrong, `is not a whole number`
    needed : whether a header must have it; what is not needed is None where the cell is empty, or there is none
    remedy : what to do about a wrong cell
    decimal : whether a comma in a cell may be a decimal one
    """

    names: tuple[str, ...]
    read: Callable[[str], Any]
    needed: bool = True
    remedy: str = "Correct the line, or remove it."
    decimal: bool = False


def an_id(*names: str, needed: bool = True) -> Column:
    """A column of ids: visible texts that are not blank."""
    return Column(names, _id, needed, ID_REMEDY)


def words(*names: str, needed: bool = True) -> Column:
    """A column of texts; one that is needed may be empty."""
    return Column(names, str, needed)


def filled(*names: str, remedy: str) -> Column:
    """A column of texts that are not empty."""
    return Column(names, _filled, remedy=remedy)


def whole(*names: str, needed: bool = True, among: range | None = None, remedy: str = "") -> Column:
    """A column of whole numbers, of a range where one is given; 1.0 is one, too."""

    def read(cell: str) -> int:
        value = as_whole(cell)
        if value is None:
            raise ValueError("is not a whole number")
        if among and value not in among:
            raise ValueError(f"is not one of {among[0]} to {among[-1]}")
        return value

    limits = f" from {among[0]} to {among[-1]}" if among else ""
    return Column(names, read, needed, remedy or f"Write a whole number{limits}, or remove the line.", decimal=True)


def number(*names: str, needed: bool = True) -> Column:
    """A column of finite numbers."""
    return Column(names, _number, needed, "Write a finite number, with a decimal point: 12.5.", decimal=True)


def _id(cell: str) -> str:
    if fault := fault_of_id(cell):
        raise ValueError(fault)
    return cell


def _filled(cell: str) -> str:
    if not cell:
        raise ValueError("is missing")
    return cell


def _number(cell: str) -> float:
    if (value := as_number(cell)) is None:
        raise ValueError("is not a number")
    return value


def _shown(rows: Sequence[Mapping[str, str]], index: int) -> str:
    return ", ".join(rows[index].values())


@dataclass(frozen=True, kw_only=True)
class PlainTable:
    """A table that is declared by its columns.

    Parameters
    ----------
    columns : by our names, which are those of the columns of `table`
    table : what the rows are stored as; None where a function makes something else of them
    in_header : fields that a header must have, where `change` makes others; by default those that are needed
    bare : whether a file may lack a header, its columns being these in this order
    of_file : the column of `table` that one name fills for the whole file; also the reader's argument
    what : a row, in a message about two that contradict each other
    counted : what an import calls its rows
    keeps : whether other columns are kept in `extra`; a note names them otherwise
    texts_as_ids : whether ids may be texts with blanks
    """

    columns: Mapping[str, Column]
    table: Table | None = None
    in_header: tuple[str, ...] | None = None
    bare: bool = False
    of_file: str = ""
    what: str = "line"
    counted: str = "rows"
    keeps: bool = False
    texts_as_ids: bool = False

    @property
    def names(self) -> Names:
        """Our fields, each with the names that files have for it."""
        return {name: column.names for name, column in self.columns.items()}

    @property
    def needed(self) -> tuple[str, ...]:
        """Fields that a header must have."""
        needed = tuple(name for name, column in self.columns.items() if column.needed)
        return needed if self.in_header is None else self.in_header

    def fits(self, opening: Opening) -> bool:
        """Whether a file begins with all that is needed."""
        return {*self.needed} <= {*columns_of(first_records(opening, self.names)[0], self.names)}

    def columns_of_rows(
        self,
        path: Path,
        problems: Problems,
        progress: Progress = no_progress,
        *,
        change: Callable[[Iterator[Row]], Iterable[Row]] = iter,
    ) -> Iterator[tuple[Sequence[int], dict[str, list[Any]], list[dict[str, str]]]]:
        """Lines, values by field, and all cells of some thousand rows at a time; a wrong row goes to the problems.

        `change`: what is read of the file's rows; by default they are.
        """
        if not self.texts_as_ids:
            refuse_texts_for_ids(Opening(path), self.names)
        bare = tuple(self.columns) if self.bare else ()
        rows = iter(change(record_rows(path, self.names, problems, progress, needed=self.needed, bare=bare)))
        while some := list(islice(rows, TOGETHER)):
            present = {name for keys in {tuple(row.cells) for row in some} for name in keys}
            cells = dict[str, Sequence[str]]()
            for name, column in self.columns.items():
                if name in present or column.needed:
                    cells[name] = [row.cells.get(name, "").strip() for row in some]
                    if column.decimal and some[0].separator != ",":
                        cells[name] = [with_point(cell, some[0].separator) for cell in cells[name]]
            lines, texts = [row.line for row in some], [row.cells for row in some]
            right, columns = self.checked(lines, cells, partial(_shown, texts), problems)
            yield [lines[index] for index in right], columns, [texts[index] for index in right]

    def checked(
        self, lines: Sequence[int], cells: Mapping[str, Sequence[str]], shown: Callable[[int], str], problems: Problems
    ) -> tuple[Sequence[int], dict[str, list[Any]]]:
        """The places of the rows that are right, and the values of these by field; others go to the problems.

        `cells`: by field, of all rows; a field without cells has None. `shown`: what the problem of a row shows.
        """
        columns, faults = dict[str, list[Any]](), dict[int, tuple[str, str, str]]()
        for name, column in self.columns.items():
            own = cells.get(name)
            if own is None:
                columns[name] = [None] * len(lines)
            elif column.read is str:
                columns[name] = list(own) if column.needed else [cell or None for cell in own]
            else:
                values, wrong = self._values(name, dict.fromkeys(own))
                columns[name] = list(map(values.get, own))
                faults |= {index: wrong[cell] for index, cell in enumerate(own) if cell in wrong} if wrong else {}
        for index, (what, remedy, cause) in sorted(faults.items()):
            problems.add(lines[index], what, shown(index), remedy, cause=cause)
        if not faults:
            return range(len(lines)), columns
        right = [index for index in range(len(lines)) if index not in faults]
        return right, {name: [values[index] for index in right] for name, values in columns.items()}

    def _values(self, name: str, cells: Iterable[str]) -> tuple[dict[str, Any], dict[str, tuple[str, str, str]]]:
        """What cells of a column say; of those that are wrong what is, what to do, and their common cause."""
        column, values, wrong = self.columns[name], dict[str, Any](), dict[str, tuple[str, str, str]]()
        for cell in cells:
            try:
                values[cell] = column.read(cell) if cell or column.needed else None
            except ValueError as error:
                shown = f" {visible(cell, line_ends=False)[:80]}" if cell else ""
                wrong[cell] = f"{name}{shown} {error}", column.remedy, f"{name} {error}"
        return values, wrong

    def records(
        self, path: Path, problems: Problems, progress: Progress = no_progress
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Line and values of each row."""
        for lines, columns, _ in self.columns_of_rows(path, problems, progress):
            for line, *values in zip(lines, *columns.values(), strict=True):
                yield line, dict(zip(columns, values, strict=True))

    def read(
        self, path: Path, *, make_spill: MakeSpill | None = None, progress: Progress = no_progress, **named: str
    ) -> Reading:
        """The rows of a file as a frame of the table.

        Raises BadInput where the header lacks a column, a cell says what it can't, or two rows contradict each other.
        """
        assert self.table is not None
        problems, rest = Problems(path), dict[str, None]()
        rows = Rows(self.table, problems, make_spill)
        for lines, columns, cells in self.columns_of_rows(path, problems, part_of(progress, 0, 2)):
            others = [
                {name: cell for name, cell in texts.items() if name not in self.columns and cell} for texts in cells
            ]
            rest |= dict.fromkeys(name for other in others for name in other)
            if self.keeps:
                columns["extra"] = [encode_extra(item) for item in others]
            nothing = [None] * len(lines)
            whole = {**{name: [value] * len(lines) for name, value in named.items()}, **columns}
            rows.add_lines(lines, self.table.packed({name: whole.get(name, nothing) for name in self.table.names}))
        frames = rows.decide(self.what, part_of(progress, 1, 2))
        problems.raise_if_any()
        reading = Reading(notes=[f"{rows.merged:,} repeated lines were merged."] if rows.merged else [])
        if rest and not self.keeps:
            reading.notes.append(f"Columns that are not kept: {', '.join(rest)}.")
        reading.take(self.table.name, frames, make_spill)
        reading.judges = tuple(named.values()) if self.table is JUDGMENTS else ()
        reading.counts[self.counted] = reading.rows(self.table.name)
        return reading

    def format(
        self,
        kind: Kind,
        *,
        looks: str,
        order: int,
        written: str = "CSV, JSON",
        explains: tuple[Dialect, ...] = (),
        **more: Any,
    ) -> Format:
        """The format of such files: a row for `ROWS`; `more` as of `Format`."""

        def read(
            path: Path, *, make_spill: MakeSpill | None = None, progress: Progress = no_progress, **own: Any
        ) -> Reading:
            named = {self.of_file: str(own.get(self.of_file, path.stem))} if self.of_file else {}
            return self.read(path, make_spill=make_spill, progress=progress, **named)

        fields = {"kind": kind, "written": written, "looks": looks, "order": order, "explains": explains}
        return Format(**{"fits": self.fits, "read": read, **fields, **more})
