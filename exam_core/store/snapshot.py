"""A collection at one moment: its tables as SQL, and what is kept for it."""

from __future__ import annotations

import atexit
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import update_wrapper
from pathlib import Path
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet, finalize

import duckdb
import pandas as pd

from exam_core.errors import SHOWN, StoreError
from exam_core.progress import Progress, no_progress
from exam_core.store.database import NARROW, Database, quoted
from exam_core.store.files import damage, import_again, known_damage
from exam_core.store.manifests import ID_COLUMN, Manifest
from exam_core.store.names import BANK_REF
from exam_core.tables import TABLES, Table
from exam_core.wording import counted

P = ParamSpec("P")
T = TypeVar("T")

_ALL: WeakSet[ValueCache[Any]] = WeakSet()
OUTLIVING = 4
"""Stores that nobody has any more of whose snapshots results are kept still: whoever has a snapshot may ask on."""
MORE = 8
_left: deque[Mapping[str, Any]] = deque()


class Validity:
    """Whether a snapshot is still what its collection holds; one for it and all that are made from it."""

    def __init__(self) -> None:
        self.ended = False

    def end(self) -> None:
        """The collection has changed: let go of everything that is kept of how it was."""
        self.ended = True
        for value_cache in list(_ALL):
            value_cache.drop_ended()


class ValueCache(Generic[T]):
    """Values by key, for all threads; the least recently used go, and those of a snapshot that is superseded.

    It keeps `most` values, however large, and up to `MORE` times as many within `room` bytes, so that many grading
    modes beside each other are read once.
    """

    def __init__(self, most: int, room: int = 0) -> None:
        self._most, self._room, self._lock = most, room, Lock()
        self._values: OrderedDict[Hashable, tuple[Validity, T]] = OrderedDict()
        _ALL.add(self)

    def find(self, key: Hashable) -> tuple[T] | None:
        """The value for the key, alone in a tuple; None if there is none."""
        with self._lock:
            pair = self._values.get(key)
            if pair is None:
                return None
            self._values.move_to_end(key)
            return (pair[1],)

    def keep(self, key: Hashable, value: T, validity: Validity) -> T:
        """What is kept from now on: the value, or the one that somebody else gave meanwhile."""
        gone = []  # freed when nobody is kept waiting
        with self._lock:
            if validity.ended:
                return value
            known = self._values.setdefault(key, (validity, value))
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                more = self._room and len(self._values) <= MORE * self._most
                if more and sum(size_of(value) for _, value in self._values.values()) <= self._room:
                    break
                gone.append(self._values.popitem(last=False))
        return known[1]

    def drop(self, key: Hashable, value: T) -> None:
        """Keep this value no longer."""
        with self._lock:
            known = self._values.get(key)
            if known and known[1] is value:
                del self._values[key]

    def drop_ended(self) -> None:
        """Keep nothing of superseded snapshots."""
        with self._lock:
            ended = [key for key, (validity, _) in self._values.items() if validity.ended]
            gone = [self._values.pop(key) for key in ended]
        del gone

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            values, self._values = self._values, OrderedDict()
        del values


class KeptResults(Generic[P, T]):
    """A function of a snapshot, or of what has one, that remembers its results; see `cached_by_snapshot`."""

    def __init__(self, function: Callable[P, T], most: int, room: int) -> None:
        self._function, self._kept = function, ValueCache[T](most, room)
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> T:
        key = (arguments, tuple(options.items())) if options else arguments
        if cached := self._kept.find(key):
            return cached[0]
        value = self._function(*arguments, **options)
        return self._kept.keep(key, value, validity_of(*arguments))

    def clear(self) -> None:
        """Ask anew from now on."""
        self._kept.clear()


def cached_by_snapshot(most: int, room: int = 0) -> Callable[[Callable[P, T]], KeptResults[P, T]]:
    """As `functools.lru_cache`, for functions of a snapshot: nothing is kept of one that is superseded; see
    `ValueCache`.
    """
    return lambda function: KeptResults(function, most, room)


def size_of(value: Any) -> int:
    """Bytes of the arrays that a value is or has; whatever else it has is small."""
    arrays = tuple(vars(value).values()) if hasattr(value, "__dict__") and not hasattr(value, "nbytes") else [value]
    return sum(int(getattr(array, "nbytes", 0)) for array in arrays)


def validity_of(*arguments: Any) -> Validity:
    """Of the first snapshot among arguments, or of the first one that has a snapshot."""
    for argument in arguments:
        validity = getattr(getattr(argument, "snapshot", argument), "validity", None)
        if isinstance(validity, Validity):
            return validity
    raise TypeError("none of the arguments is of a snapshot")


def keep_while_held(store: object, snapshots: Mapping[str, Any]) -> None:
    """Keep results of a store's snapshots while somebody has the store, and of a few stores that nobody has any more.

    Each has a DuckDB with its threads, which results of its snapshots hold.
    """
    while len(_left) > OUTLIVING:
        with suppress(IndexError):  # another thread was faster
            for snapshot in _left.popleft().values():
                snapshot.validity.end()
    # It may be freed while a lock of the kept is held: so what ends is only noted then.
    finalize(store, _left.append, snapshots).atexit = False


@atexit.register
def let_go() -> None:
    """Keep nothing: DuckDB complains at the end of a process of what it can't free."""
    for value_cache in list(_ALL):
        value_cache.clear()


_WITHOUT_OWN = """
SELECT ranked.* REPLACE (
    (ranked.rank - coalesce((own.rank < ranked.rank)::INTEGER, 0))::INTEGER AS rank,
    (ranked.source_rank - coalesce((own.source_rank < ranked.source_rank)::INTEGER, 0))::INTEGER AS source_rank
)
FROM ({rankings}) ranked LEFT JOIN (
    SELECT run_id, query_id, rank, source_rank FROM ({rankings}) WHERE doc_id = query_id
) own USING (run_id, query_id)
WHERE ranked.doc_id != ranked.query_id
"""
"""Passages below the query's own document move up by one, so that its place is no hole."""
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
    left_out: tuple[str, ...] = ()
    own_documents: bool = True
    """Whether rankings have the passage whose id is the query's."""
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
        identity = (self.collection, self.fingerprint, self.left_out, self.own_documents, self.aliases, self.tags)
        object.__setattr__(self, "_hash", hash(identity))

    def __hash__(self) -> int:
        return self._hash  # every cache asks for it, several times a page

    def without(self, run_ids: Collection[str], *, named: bool = True) -> Snapshot:
        """The same collection, as if these runs had never been imported; if not `named`, sentences only count them."""
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

    def without_own_documents(self) -> Snapshot:
        """The same collection, as if no run had returned the passage whose doc_id is the query_id.

        Source: `ignore_identical_ids` of BEIR (Thakur et al. 2021), for collections whose queries are documents, too.
        """
        if not self.own_documents:
            return self
        own = {name: _WITHOUT_OWN.format(rankings=sql) for name, sql in self.tables.items() if name == "rankings"}
        return replace(self, tables=self.tables | own, own_documents=False)

    @property
    def left_out_in_words(self) -> list[str]:
        """The runs that are left out, by name, and the queries' own documents; runs not to be named are counted."""
        named = [run for run in self.left_out if run not in self.unnamed]
        named += [counted({"runs": len(self.unnamed)})] if self.unnamed else []
        return named + ([] if self.own_documents else ["the queries' own documents"])

    @contextmanager
    def cursor(
        self, *, narrow: bool = False, most: str = NARROW, progress: Progress = no_progress, in_order: bool = False
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one evaluation. Raises StoreError where a file of the store is damaged or gone.

        A `narrow` one is for so many rows that DuckDB is to hold `most` of them alone; see `Database.narrow`.
        """
        try:
            with (
                self.database.narrow(most, progress, in_order=in_order) if narrow else self.database.cursor() as cursor
            ):
                yield cursor
        except (duckdb.OutOfMemoryException, OSError) as error:
            if isinstance(error, OSError) and not str(error).startswith("Out of Memory"):  # as Arrow passes it on
                raise
            raise StoreError(
                f"{self.collection}: more rows than there is memory for. Free some, or ask for less."
            ) from None
        except duckdb.Error as error:
            # Another table's file in its place, say, is a column that does not exist: only the files tell.
            # What can't be decoded inside one has no class, and doesn't name the file.
            is_of_a_file = type(error) is duckdb.Error or (
                isinstance(error, duckdb.IOException | duckdb.InvalidInputException) and ".parquet" in str(error)
            )
            if not is_of_a_file and not self._damages():
                raise
            raise self.damaged(error) from None

    def damaged(self, error: Exception) -> StoreError:
        """What to tell a user of files that can't be read."""
        if damages := self._damages():
            return self._named(damages)
        reason = str(error).splitlines()[0]
        return StoreError(
            f"{self.collection}: a file of the store is damaged or gone ({reason}).\n"
            "Import the source again, or restore the store from a copy."
        )

    def _named(self, damages: dict[Path, str]) -> StoreError:
        """Each of these files with what is wrong with it, and what heals it."""
        sources = {path: source for files in self.files.values() for path, source in files.items()}
        lines = []
        for path, what in damages.items():
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
        files = (path for table in named for path in self.files.get(table, ()))
        if damages := {path: what for path in files if (what := known_damage(path))}:
            raise self._named(damages)
        definitions = ", ".join(f"{name} AS ({self.tables.get(name) or empty_sql(name)})" for name in named)
        if not named:
            return sql
        inner = sql.strip()
        if inner[:5].upper() == "WITH ":
            return f"WITH {definitions}, {inner[5:]}"
        return f"WITH {definitions} {inner}"


def empty_sql(table: str) -> str:
    """A table without rows, with the right types."""
    columns = ", ".join(f"NULL::{SQL_TYPE[column.kind]} AS {column.name}" for column in TABLES[table].columns)
    return f"SELECT {columns} WHERE false"


FILLED_IN = ("queries", "passages")
"""Tables whose columns several imports fill in: the newest import that says something is believed."""

_RANK_OF_ALL = (
    "row_number() OVER (PARTITION BY run_id, query_id "
    "ORDER BY coalesce(try_cast(score AS FLOAT), sign(score) * 'infinity'::FLOAT) DESC, doc_id DESC)::INTEGER"
)
"""Each file ranks what it holds; where several hold parts of a ranking, the parts are ranked together."""


def table_sql(folder: Path, manifests: Sequence[Manifest], segments: Sequence[str] = ()) -> dict[str, str]:
    """A SELECT for each table that has rows.

    An owned id shows the rows of its newest owner alone. What several imports without an owner say
    is united; rows that they share (their values are equal, an import makes sure of it) show once.
    Rows come in the order of the imports, and of their files; `segments` of grades that were made here come last.
    """
    owner: dict[tuple[str, str], int] = {}
    for place, manifest in enumerate(manifests):
        owner |= dict.fromkeys(manifest.owns, place)
    owned: dict[str, list[str]] = {}
    for table, own in owner:
        owned.setdefault(table, []).append(own)
    parts_of: dict[str, list[_Part]] = {}
    shared: dict[str, int] = {}
    shown: set[str] = set()
    for place, manifest in enumerate(manifests):
        for name in TABLES:
            mine = [own for table, own in manifest.owns if table == name]
            listed = [file.path for file in manifest.files if file.table == name]
            # Equal content has an equal name: two imports that bring the same file show it once.
            files = [path for path in listed if mine or path not in shown]
            if not files:
                continue
            shown |= set() if mine else set(files)
            # What an import owns is all that it has in that table, so most imports of runs hide nothing.
            hidden = [own for own in mine if owner[name, own] != place] if mine else owned.get(name, [])
            _add_part(parts_of.setdefault(name, []), files, hidden)
            shared[name] = shared.get(name, 0) + (not mine)
    if segments:
        _add_part(parts_of.setdefault("grades", []), segments, owned.get("grades", []))
        # Two jobs may have graded the same.
        shared["grades"] = shared.get("grades", 0) + len(segments)
    tables = {}
    for name, parts in parts_of.items():
        selects, first = [], 0
        for files, hidden in parts:
            source = _files(TABLES[name], [str(folder / path) for path in files])
            selects.append(_select(TABLES[name], source, hidden, first))
            first += len(files)
        tables[name] = _united(TABLES[name], selects, shared[name] > 1)
    return tables


_Part = tuple[list[str], list[str]]
"""Files that are read at once, and the ids of which they show no rows."""


def _add_part(parts: list[_Part], files: Sequence[str], hidden: list[str]) -> None:
    """Files with nothing to hide are read together with those before: five hundred runs are one read."""
    if parts and not hidden and not parts[-1][1]:
        parts[-1][0].extend(files)
    else:
        parts.append((list(files), hidden))


def _select(table: Table, source: str, hidden: Sequence[str], first: int) -> str:
    """Rows of files in their order; `place` counts the files of all parts."""
    columns = f"{', '.join(table.names)}, {first} + file_index AS place, file_row_number"
    where = ""
    if hidden:
        column = ID_COLUMN[table.name]
        own = BANK_REF if column == "bank_id" else column
        where = f" WHERE {own} NOT IN ({', '.join(map(quoted, hidden))})"
    return f"SELECT {columns} FROM {source}{where}"


def _files(table: Table, paths: Sequence[str]) -> str:
    """Files as a table that has all columns, also those that were not there when they were written."""
    # A folder named `doc_id=5` is a name, not a value of the column.
    listed = ", ".join(map(quoted, paths))
    read = f"read_parquet([{listed}], hive_partitioning = false{', union_by_name = true' if table.later else ''})"
    if not table.later:
        return read
    nulls = ", ".join(f"NULL::{SQL_TYPE[column.kind]} AS {column.name}" for column in table.later)
    return (
        f"(SELECT *, file_index, file_row_number FROM {read} "
        f"UNION ALL BY NAME SELECT {nulls}, NULL AS file_index, NULL AS file_row_number WHERE false)"
    )


def _united(table: Table, parts: list[str], repeats: bool) -> str:
    union = " UNION ALL ".join(parts)
    columns, key = ", ".join(table.names), ", ".join(table.key)
    if repeats and table.name in FILLED_IN:
        filled = ", ".join(
            f"arg_max({name}, place) FILTER ({name} IS NOT NULL) AS {name}"
            for name in table.names
            if name not in table.key
        )
        return f"SELECT {key}, {filled} FROM ({union}) GROUP BY {key} ORDER BY {key}"
    if repeats:
        if table.name == "rankings":
            columns = columns.replace(" rank,", f" {_RANK_OF_ALL} AS rank,")
        first = f"row_number() OVER (PARTITION BY {key} ORDER BY place) = 1"
        once = f"SELECT * FROM ({union}) QUALIFY {first}"
        return f"SELECT {columns} FROM ({once}) ORDER BY place, file_row_number"
    return f"SELECT {columns} FROM ({union})"
