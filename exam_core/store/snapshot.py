"""One collection as it is at one moment: its tables as SQL, and queries over them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from exam_core.errors import SHOWN, StoreError
from exam_core.progress import Progress, no_progress
from exam_core.store.database import NARROW, Database, quoted
from exam_core.store.files import damage, import_again, known_damage
from exam_core.store.gathering import Gathered
from exam_core.store.snapshot_cache import Validity
from exam_core.tables import TABLES
from exam_core.wording import counted

OF_RUNS = ("rankings", "leaderboards", "scores")
"""Tables whose rows are about a run."""
SQL_TYPE = {
    "text": "VARCHAR",
    "texts": "VARCHAR[]",
    "integer": "INTEGER",
    "grade": "TINYINT",
    "number": "DOUBLE",
    "flag": "BOOLEAN",
    "json": "VARCHAR",
}


@dataclass(frozen=True)
class Snapshot:
    """The tables of a collection, frozen: what is imported later does not show in it.

    `fingerprint` changes whenever the content does; every cache is keyed by it. `left_out` names the runs that a reader
    asked to leave out: neither rankings nor leaderboards have them. Of these, `unnamed` must not be named. `aliases`
    are what people called graders: no part of the fingerprint, because no figure depends on them, but of what tells two
    snapshots apart, so that names show. `tags` are the tags of runs; they are no part of the fingerprint either.
    `validity` ends when the collection has changed, for this snapshot and those that were made from it: caches let go
    of them.
    """

    collection: str
    fingerprint: str
    database: Database = field(repr=False, compare=False)
    tables: dict[str, str] = field(repr=False, compare=False)
    graders: dict[str, dict[str, Any]] = field(repr=False, compare=False)
    sources: list[dict[str, Any]] = field(repr=False, compare=False)
    files: dict[str, dict[Path, str]] = field(default_factory=dict, repr=False, compare=False)
    """Of each table its files, each with the name of the file that was imported; empty for what was graded here."""
    gathered: dict[str, Gathered] = field(default_factory=dict, repr=False, compare=False)
    """What tables are made of that was read into memory, by the name that their SQL has for it."""
    left_out: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    tags: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unread: tuple[str, ...] = ()
    """A sentence for each record of a grader, an alias or tags that can't be read: what it says is left out."""
    folder: Path | None = field(default=None, repr=False, compare=False)
    """Where what is computed of it may be kept in files; None where nothing is."""
    validity: Validity = field(default_factory=Validity, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        said = (self.collection, self.fingerprint, self.left_out, self.aliases, self.tags)
        object.__setattr__(self, "_hash", hash(said))

    def __hash__(self) -> int:
        return self._hash  # every cache asks for it, several times a page

    def without(self, run_ids: Collection[str], *, named: bool = True) -> Snapshot:
        """The same collection, as if these runs had never been imported or ranked.

        Parameters
        ----------
        named : whether sentences name the runs that are left out, or only count them
        """
        left_out = tuple(sorted({*self.left_out, *run_ids}))
        unnamed = self.unnamed if named else tuple(sorted({*self.unnamed, *run_ids}))
        if (left_out, unnamed) == (self.left_out, self.unnamed):
            return self
        names = ", ".join(map(quoted, left_out))
        tables = {
            name: f"SELECT * FROM ({sql}) WHERE run_id NOT IN ({names})" if name in OF_RUNS else sql
            for name, sql in self.tables.items()
        }
        return replace(self, tables=tables, left_out=left_out, unnamed=unnamed)

    @property
    def left_out_in_words(self) -> list[str]:
        """The runs that are left out, by name; those that must not be named are counted."""
        named = [run for run in self.left_out if run not in self.unnamed]
        return named + ([counted({"runs": len(self.unnamed)})] if self.unnamed else [])

    @contextmanager
    def cursor(
        self, *, narrow: bool = False, most: str = NARROW, progress: Progress = no_progress, in_order: bool = False
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one evaluation. Raises StoreError where a file of the store is damaged or gone.

        Parameters
        ----------
        narrow : whether it is of so many rows that not all of them are to be held
        most : what DuckDB holds of them
        progress, in_order : told how far it is, and whether rows come as files have them, where it is of so many
        """
        unread = None
        try:
            with (
                self.database.narrow(most, progress, in_order=in_order) if narrow else self.database.cursor() as cursor
            ):
                unread = self._show_gathered(cursor)
                yield cursor
        except (duckdb.OutOfMemoryException, OSError) as error:
            if isinstance(error, OSError) and not str(error).startswith("Out of Memory"):  # as Arrow passes it on
                raise
            raise StoreError(
                f"{self.collection}: more rows than there is memory for. Free some, or ask for less."
            ) from None
        except duckdb.Error as error:
            reason = unread if unread and isinstance(error, duckdb.CatalogException) else error
            # Another table's file in its place, say, is a column that does not exist: only the files tell.
            if not self._damages() and not _names_a_file(reason):
                raise
            raise self.damaged(reason) from None

    def _show_gathered(self, cursor: duckdb.DuckDBPyConnection) -> duckdb.Error | None:
        """Let a cursor's statements name what is gathered; where that can't be read, they can name everything else."""
        try:
            for one in self.gathered.values():
                one.show(cursor)
        except duckdb.Error as error:
            return error
        return None

    def damaged(self, error: Exception) -> StoreError:
        """What to tell a user of files that can't be read."""
        if found := self._damages():
            return self._named(found)
        reason = str(error).splitlines()[0]
        return StoreError(
            f"{self.collection}: a file of the store is damaged or gone ({reason}).\n"
            "Import the source again, or restore the store from a copy."
        )

    def _named(self, found: dict[Path, str]) -> StoreError:
        """Each of these files with what is wrong with it, and what heals it."""
        sources = {path: source for files in self.files.values() for path, source in files.items()}
        lines = []
        for path, what in found.items():
            source = sources[path]
            remedy = (
                import_again(source)
                if source
                else "Set it aside (examboard check --repair) and grade again (answers are kept)"
            )
            lines.append(f"{self.collection}: {path} is {what}. {remedy}, or restore it from a copy.")
        more = [f"... and {len(lines) - SHOWN} more files."] if len(lines) > SHOWN else []
        return StoreError("\n".join([*lines[:SHOWN], *more]))

    def _damages(self) -> dict[Path, str]:
        """The files that are not as they were written, and what is wrong with each: each is read anew."""
        return {path: what for files in self.files.values() for path in files if (what := damage(path))}

    def _verify(self, tables: Iterable[str]) -> None:
        """Raise StoreError for a file of these tables that is not what was written: it would be other data."""
        files = (path for table in tables for path in self.files.get(table, ()))
        if found := {path: what for path in files if (what := known_damage(path))}:
            raise self._named(found)

    def query(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> pd.DataFrame:
        """Run a SELECT over the tables; each call has its own cursor, so threads don't meet."""
        with self.cursor() as cursor:
            return cursor.execute(self.with_tables(sql), parameters or None).df()

    def frame(self, table: str) -> pd.DataFrame:
        """The whole table, in the order of its files."""
        with self.cursor() as cursor:
            arrow = cursor.sql(self.with_tables(f"SELECT * FROM {table}")).to_arrow_table()
        return TABLES[table].from_arrow(arrow)

    def with_tables(self, sql: str) -> str:
        """The statement with the tables that it names defined in front of it, whose files are as they were written.

        Raises StoreError where one of them is not.
        """
        named = [name for name in TABLES if re.search(rf"\b{name}\b", sql)]
        self._verify(named)
        definitions = ", ".join(f"{name} AS ({self.tables.get(name) or empty_sql(name)})" for name in named)
        if not named:
            return sql
        inner = sql.strip()
        if inner[:5].upper() == "WITH ":
            return f"WITH {definitions}, {inner[5:]}"
        return f"WITH {definitions} {inner}"


def _names_a_file(error: duckdb.Error) -> bool:
    """Whether an error is about a file. What can't be decoded inside one has no class, and doesn't name the file."""
    of_a_file = isinstance(error, duckdb.IOException | duckdb.InvalidInputException) and ".parquet" in str(error)
    return of_a_file or type(error) is duckdb.Error


def empty_sql(table: str) -> str:
    """A table without rows, with the right types."""
    columns = ", ".join(f"NULL::{SQL_TYPE[column.kind]} AS {column.name}" for column in TABLES[table].columns)
    return f"SELECT {columns} WHERE false"
