"""Which rows of which files a collection shows: the manifests' rules as SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from exam_core.store.database import quoted
from exam_core.store.gathering import FEW, GATHERED, MOST, Gathered
from exam_core.store.manifests import ID_COLUMN, Manifest
from exam_core.store.names import BANK_REF
from exam_core.store.snapshot import SQL_TYPE
from exam_core.tables import TABLES, Table

FILLED_IN = ("queries", "passages")
"""Tables whose columns several imports fill in: the newest import that says something is believed."""

_RANK_OF_ALL = (
    "row_number() OVER (PARTITION BY run_id, query_id "
    "ORDER BY coalesce(try_cast(score AS FLOAT), sign(score) * 'infinity'::FLOAT) DESC, doc_id DESC)::INTEGER"
)
"""Each file ranks what it holds; where several hold parts of a ranking, the parts are ranked together."""


def table_sql(
    folder: Path, manifests: Sequence[Manifest], segments: Sequence[str] = (), gather: Gather | None = None
) -> dict[str, str]:
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
    selects: dict[str, list[_Part]] = {}
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
            _add_part(selects.setdefault(name, []), files, hidden)
            shared[name] = shared.get(name, 0) + (not mine)
    if segments:
        _add_part(selects.setdefault("grades", []), segments, owned.get("grades", []))
        # Two jobs may have graded the same.
        shared["grades"] = shared.get("grades", 0) + len(segments)
    return {
        name: _united(TABLES[name], _selects(TABLES[name], folder, parts, gather), shared[name] > 1)
        for name, parts in selects.items()
    }


def gathered_sql(
    folder: Path, manifests: Sequence[Manifest], segments: Sequence[str], before: Mapping[str, Gathered]
) -> tuple[dict[str, str], dict[str, Gathered]]:
    """The same for a cursor that is shown what was gathered of small files, which comes with it by its name.

    Parameters
    ----------
    before : what was gathered of the collection before
    """
    gathered: dict[str, Gathered] = {}
    rows = dict.fromkeys(GATHERED, 0)
    for file in (file for manifest in manifests for file in manifest.files if file.table in rows):
        rows[file.table] += file.rows

    def gather(table: Table, paths: list[str]) -> str | None:
        if rows.get(table.name, MOST + 1) > MOST or len(paths) < FEW:
            return None
        name = f"gathered_{len(gathered)}_{table.name}"
        gathered[name] = Gathered(name, paths, partial(_rows, table), before.get(name))
        return name

    return table_sql(folder, manifests, segments, gather), gathered


def _rows(table: Table, paths: Sequence[str], first: int) -> str:
    columns = ", ".join([*table.names, f"({first} + file_index)::BIGINT AS file_index", "file_row_number"])
    return f"SELECT {columns} FROM {_files(table, paths)} ORDER BY file_index, file_row_number"


Gather = Callable[[Table, list[str]], str | None]
"""Gives some files a name, under which their rows are a table."""
_Part = tuple[list[str], list[str]]
"""Files that are read at once, and the ids of which they show no rows."""


def _add_part(parts: list[_Part], files: Sequence[str], hidden: list[str]) -> None:
    """Files with nothing to hide are read together with those before: five hundred runs are one read."""
    if parts and not hidden and not parts[-1][1]:
        parts[-1][0].extend(files)
    else:
        parts.append((list(files), hidden))


def _selects(table: Table, folder: Path, parts: Sequence[_Part], gather: Gather | None) -> list[str]:
    selects, place = [], 0
    for files, hidden in parts:
        paths = [str(folder / path) for path in files]
        source = (gather and gather(table, paths)) or _files(table, paths)
        selects.append(_select(table, source, hidden, place))
        place += len(files)
    return selects


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
