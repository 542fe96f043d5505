"""Commits: what a reader found is written, checked against the collection, and made visible by one transaction.

Files are written before the transaction, because that may take minutes. In it only what came meanwhile is checked, so
that of two imports that contradict each other one wins and the other is told.
"""

from __future__ import annotations

import datetime as dt
import getpass
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import duckdb
import msgspec
import pandas as pd

from exam_core import __version__, wings
from exam_core.errors import BadInput, StoreError, visible
from exam_core.formats import Reading
from exam_core.rights import signed
from exam_core.store.asides import show_rows
from exam_core.store.catalogue import Catalogue
from exam_core.store.database import Database, quoted
from exam_core.store.files import (
    content_name,
    files_below,
    files_in,
    folder_name,
    known_damage,
    modified,
    take_or_touch,
    touch,
    write_or_touch,
)
from exam_core.store.grade_segments import GRADER, IMPORTED, SEGMENT, differences, parquet, read_segments
from exam_core.store.manifests import ID_COLUMN, IMPORT, Manifest, StoredFile, counting, read_imports
from exam_core.store.names import Source
from exam_core.store.snapshot import table_sql
from exam_core.tables import TABLES

ABANDONED_AFTER = 24 * 3600.0
"""Seconds after which a file that no manifest lists is taken for the rest of an interrupted import."""

_COMPARED = {
    "passages": ("text_hash", "!="),
    "rankings": ("score", "!="),
    "judgments": ("relevance", "!="),
    # No grade says that the answer can't be read, no value that there is none; elsewhere null contradicts nothing.
    "grades": ("grade", "IS DISTINCT FROM"),
    "leaderboards": ("score", "!="),
    "scores": ("value", "IS DISTINCT FROM"),
    **{table: (column, differs) for table, column, differs in wings.declared("compared")},
}
"""What two imports must not say differently of one key: the column, and what differing means."""
_SHOWN = {"passages": "passage_text"}
"""What a refusal shows of a row, where that is another column."""
_REMEDIES = {
    "passages": "Where titles are all that differs, import passages without them (--no-title); otherwise import this "
    "into another collection."
}
_EXCERPT = 60


@dataclass(frozen=True)
class Origin:
    """Where an import comes from: a file's name, and the hash of its bytes in hex.

    Parameters
    ----------
    source : an earlier import with the same source is superseded as a whole
    """

    source: str
    file: str = ""
    sha256: str = ""


@dataclass
class Prepared:
    """An import on its way: its files are written, and nobody sees them yet.

    Parameters
    ----------
    owns : (table, id) pairs whose rows come from this import alone from now on
    checked : imports that it is known not to contradict
    written : files that were not there, or damaged, with the time when they were written
    about : graders, counts and notes of its parts
    notes : what could not be checked
    together : the same for all imports that are made in one go
    """

    collection: str
    folder: Path
    origin: Origin
    owns: tuple[tuple[str, str], ...] = ()
    checked: set[str] = field(default_factory=set)
    files: dict[StoredFile, None] = field(default_factory=dict)
    written: dict[Path, int | None] = field(default_factory=dict)
    about: Reading = field(default_factory=Reading)
    notes: list[str] = field(default_factory=list)
    together: str = ""

    @property
    def name(self) -> str:
        """What a message calls it."""
        return self.origin.file or self.origin.source


@dataclass(frozen=True)
class Committed:
    """What a commit did; `notes` are of what could not be checked.

    Parameters
    ----------
    import_id : of the new import, or of the one that has the same content already
    healed : files of that one that were gone or damaged, and are whole again
    """

    import_id: str
    changed: bool
    healed: int = 0
    notes: list[str] = field(default_factory=list)


def prepare(database: Database, catalogue: Catalogue, prepared: Prepared, parts: Iterable[Reading]) -> None:
    """Write an import's files, part by part.

    Raises BadInput where a row contradicts what another import says; the files of earlier parts are collected after a
    day.
    """
    folder = prepared.folder
    imports = read_imports(catalogue, prepared.collection)
    prepared.checked |= set(imports)
    others: dict[str, list[Manifest]] = {}
    for part in parts:
        for table in _compared(prepared, [*part.frames, *part.spills]):
            if table not in others:
                known = counting(imports).values()
                foreign = [manifest for manifest in known if manifest.source != prepared.origin.source]
                others[table] = _without_damaged(prepared, foreign, table)
            with database.narrow() if part.spills else database.cursor() as cursor:
                show_rows(cursor, "new_rows", table, [part])
                _refuse_contradictions(cursor, prepared, others[table], table, "new_rows")
        for table, frame in part.frames.items():
            for stored, content in _encoded(table, frame):
                path = folder / stored.path
                if write_or_touch(path, content):
                    prepared.written[path] = modified(path)
                prepared.files[stored] = None
        for spill in chain.from_iterable(part.spills.values()):
            stored = StoredFile(spill.table.name, spill.name, len(spill))
            path = folder / stored.path
            if take_or_touch(spill.path, path):
                prepared.written[path] = modified(path)
            prepared.files[stored], spill.path = None, path
        prepared.about.graders |= part.graders
        prepared.about.notes += [note for note in part.notes if note not in prepared.about.notes]
        for name, count in part.counts.items():
            prepared.about.counts[name] = prepared.about.counts.get(name, 0) + count


def commit(database: Database, catalogue: Catalogue, imports: Sequence[Prepared]) -> list[Committed]:
    """Make imports visible, all of them or none; in a transaction.

    Raises BadInput where a row contradicts what another import said since this one was prepared, and StoreError where
    an import took so long that its files are gone.
    """
    existing = {prepared.collection: read_imports(catalogue, prepared.collection) for prepared in imports}
    plans = [_plan_commit(database, catalogue, prepared, existing[prepared.collection]) for prepared in imports]
    changed = {prepared.collection: prepared.folder for prepared, (_, new) in zip(imports, plans, strict=True) if new}
    number = {name: max((known.sequence for known in existing[name].values()), default=0) for name in changed}
    done = []
    for prepared, (committed, manifest) in zip(imports, plans, strict=True):
        if manifest:
            number[prepared.collection] += 1
            manifest = msgspec.structs.replace(manifest, sequence=number[prepared.collection])
            catalogue.put(IMPORT, manifest.id, manifest, prepared.collection)
            committed = replace(committed, import_id=manifest.id)
        done.append(committed)
    for collection, folder in changed.items():
        # What can't be read now is found by the next import; this one is done.
        with suppress(StoreError):
            collect_abandoned(catalogue, collection, folder)
    return done


def _plan_commit(
    database: Database, catalogue: Catalogue, prepared: Prepared, existing: dict[str, Manifest]
) -> tuple[Committed, Manifest | None]:
    """What the commit of an import will have done, and the record that does it; None where it is there already."""
    folder, origin, whole = prepared.folder, prepared.origin, prepared.about
    imports = counting(existing)
    manifests = list(imports.values())
    if touch(folder / stored.path for stored in prepared.files) < len(prepared.files):
        raise StoreError(
            f"{prepared.name}: the files of this import were cleaned up meanwhile, as those of killed ones are.\n"
            "Import it again. Nothing was stored."
        )
    _refuse_hiding(catalogue, prepared, manifests)
    _refuse_other_graders(catalogue, prepared, manifests)
    newer = [known for name, known in imports.items() if name not in prepared.checked]
    _refuse_newer(database, prepared, [known for known in newer if known.source != origin.source])
    for name, known in imports.items():
        same = known.source == origin.source and set(known.files) == set(prepared.files)
        # An older import of the same content counts only if nothing has taken its ids over since.
        if same and not taken_over(known, manifests) and known.graders == whole.graders:
            healed = len(prepared.written) if name in prepared.checked else 0  # a copy of it may just have come
            return Committed(name, False, healed, prepared.notes), None
    # Snapshots that read what is superseded now can read on for a day.
    touch(folder / stored.path for old in manifests if old.source == origin.source for stored in old.files)
    manifest = Manifest(
        sequence=0,
        source=origin.source,
        file=origin.file,
        sha256=origin.sha256,
        created=now(),
        version=__version__,
        files=list(prepared.files),
        owns=list(prepared.owns),
        graders=whole.graders,
        counts=whole.counts,
        notes=whole.notes,
        by=importer(),
        together=prepared.together,
    )
    return Committed("", True, notes=prepared.notes), manifest


def _refuse_hiding(catalogue: Catalogue, prepared: Prepared, manifests: list[Manifest]) -> None:
    """Labels are all that a grader of their name has: they must not hide its grades, now or when grades come later."""
    labels = {own for table, own in prepared.owns if table == "grades"}
    for known in manifests:
        if known.source == prepared.origin.source:
            continue
        theirs = {own for table, own in known.owns if table == "grades"}
        for grader in sorted(labels & set(known.graders) - theirs):
            place = f"grades/{folder_name(grader)}/"
            count = sum(stored.rows for stored in known.files if stored.path.startswith(place))
            _hides(prepared, grader, f"which has {count:,} grades from {known.file or known.source}; labels hide them")
        for grader in sorted(theirs & set(prepared.about.graders) - labels):
            _hides(prepared, grader, f"which is the name of labels from {known.file or known.source}; they hide grades")
    graded = (
        {value.grader for value in catalogue.read(SEGMENT, prepared.collection).values.values()} if labels else set()
    )
    for grader in sorted(labels & graded):
        _hides(prepared, grader, "which has graded here; labels hide its grades")


def _refuse_other_graders(catalogue: Catalogue, prepared: Prepared, manifests: list[Manifest]) -> None:
    """A grader's name never means two: another prompt or model than that of other imports, or of what graded here."""
    known = [manifest.graders for manifest in manifests if manifest.source != prepared.origin.source]
    known.append(catalogue.read(GRADER, prepared.collection).values)
    for name, about in prepared.about.graders.items():
        for graders in known:
            if name in graders and (why := differences(graders[name], about)):
                raise BadInput(
                    f"{prepared.name}: there is a grader {name} already, and {why}.\n"
                    "Give these grades a name of their own with --grader. Nothing was stored."
                )


def _hides(prepared: Prepared, grader: str, why: str) -> NoReturn:
    raise BadInput(
        f"{prepared.name}: its grades are those of {grader}, {why}.\n"
        "Give them a name of their own with --grader. Nothing was stored."
    )


def now() -> str:
    """The time of an import, and of what people say."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def importer() -> str:
    """Who imports: who signed in, else the account and the machine; empty where the account has no name."""
    if by := signed(""):
        return by
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):
        return ""


def _compared(prepared: Prepared, tables: Iterable[str]) -> list[str]:
    """The tables in which an import can contradict others: an owner's rows are the only ones of their id."""
    owned = {table for table, _ in prepared.owns}
    return sorted(table for table in tables if table in _COMPARED and table not in owned)


def _refuse_newer(database: Database, prepared: Prepared, newer: list[Manifest]) -> None:
    """Raise BadInput where what is written contradicts what others committed meanwhile."""
    for table in _compared(prepared, {stored.table for stored in prepared.files}) if newer else ():
        paths = [prepared.folder.resolve() / stored.path for stored in prepared.files if stored.table == table]
        listed = ", ".join(quoted(str(path)) for path in paths)
        with database.cursor() as cursor:
            files = f"read_parquet([{listed}], hive_partitioning = false)"
            _refuse_contradictions(cursor, prepared, _without_damaged(prepared, newer, table), table, files)


def _refuse_contradictions(
    cursor: duckdb.DuckDBPyConnection, prepared: Prepared, others: list[Manifest], table: str, new_rows: str
) -> None:
    """Raise BadInput where a new row and a row of another import share a key but differ."""
    known = table_sql(prepared.folder.resolve(), others).get(table)
    if known is None:
        return
    column, differs = _COMPARED[table]
    shown = _SHOWN.get(table, column)
    # Rows that an owner hides can't contradict anything.
    owned = [own for manifest in others for own_table, own in manifest.owns if own_table == table]
    hidden = f" AND new.{ID_COLUMN[table]} NOT IN ({', '.join(map(quoted, owned))})" if owned else ""
    key = TABLES[table].key
    same = " AND ".join(f"old.{part} IS NOT DISTINCT FROM new.{part}" for part in key)
    keys = ", ".join(f"new.{part}" for part in key)
    both = f"FROM {new_rows} new JOIN ({known}) old ON {same} WHERE old.{column} {differs} new.{column}{hidden}"
    try:
        rows = cursor.execute(f"SELECT {keys}, old.{column}, new.{column} {both} ORDER BY ALL LIMIT 21").fetchall()
        if rows and shown != column:  # long texts are read of these rows alone
            first = ", ".join(f"({', '.join(map(quoted, row[: len(key)]))})" for row in rows)
            of_keys = f"{both} AND ({keys}) IN ({first})"
            rows = cursor.execute(f"SELECT {keys}, old.{shown}, new.{shown} {of_keys} ORDER BY ALL LIMIT 21").fetchall()
    except duckdb.IOException as error:
        raise StoreError(
            f"{prepared.name}: can't be compared with what the collection holds ({str(error).splitlines()[0]}).\n"
            "To see what is wrong: examboard check. Nothing was stored."
        ) from None
    if rows:
        raise BadInput(_contradiction(table, shown, prepared.name, rows))


def _without_damaged(prepared: Prepared, others: list[Manifest], table: str) -> list[Manifest]:
    """The imports without their damaged files: those are named, and don't keep others from being healed."""
    left = []
    for manifest in others:
        files = [stored for stored in manifest.files if stored.table == table]
        damaged = {stored: what for stored in files if (what := known_damage(prepared.folder / stored.path))}
        prepared.notes += [
            f"Not compared with {manifest.file or manifest.source}, because {stored.path} is {what}: "
            "import that file again, too."
            for stored, what in damaged.items()
        ]
        sound = [stored for stored in manifest.files if stored not in damaged]
        left.append(msgspec.structs.replace(manifest, files=sound))
    return left


def _contradiction(table: str, column: str, name: str, rows: list[tuple[Any, ...]]) -> str:
    key = TABLES[table].key
    lines = [f"{name}: contradicts what the collection already holds in {table}."]
    for *values, old, new in rows[:20]:
        where = ", ".join(f"{part} {value}" for part, value in zip(key, values, strict=True))
        old, new = _apart(old, new) if isinstance(old, str) else (old, new)
        lines.append(f"  {where}: {column} is {old} there and {new} here")
    if len(rows) > 20:
        lines.append("  ... and more")
    remedy = _REMEDIES.get(table, "Import it into another collection, or give it another name.")
    return visible("\n".join([*lines, f"{remedy} Nothing was stored."]))


def _apart(old: str, new: str) -> tuple[str, str]:
    """Two texts from shortly before they differ."""
    same = next((place for place, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
    start = max(same - _EXCERPT // 3, 0)
    return tuple(repr(text[start : start + _EXCERPT]) for text in (old, new))  # type: ignore[return-value]


def taken_over(manifest: Manifest, manifests: list[Manifest]) -> bool:
    """Whether a later import took over what this one owns, or the texts that it filled in."""
    later = manifests[manifests.index(manifest) + 1 :]
    if _fills_in(manifest):
        return any(map(_fills_in, later))
    return any(set(map(tuple, manifest.owns)) & set(map(tuple, other.owns)) for other in later)


def _fills_in(manifest: Manifest) -> bool:
    return Source.parse(manifest.source).kind == "topics"


def _encoded(table: str, frame: pd.DataFrame) -> Iterator[tuple[StoredFile, bytes]]:
    """A frame as Parquet files and their content; grades go to a folder for each grader."""
    groups = frame.groupby("grader_id", sort=False) if table == "grades" else [("", frame)] if len(frame) else []
    for grader_id, rows in groups:
        prefix = f"grades/{folder_name(str(grader_id))}/{IMPORTED}" if table == "grades" else f"{table}/"
        content = parquet(TABLES[table].arrow(rows))
        yield StoredFile(table, f"{prefix}{content_name(content)}.parquet", len(rows)), content


def collect_abandoned(catalogue: Catalogue, collection: str, folder: Path) -> None:
    """Remove the abandoned files that are older than a day: rests of killed imports. In a transaction."""
    oldest = time.time() - ABANDONED_AFTER
    for path in abandoned_files(catalogue, collection, folder):
        # Another process may be as fast, or the file somebody else's; the import is done all the same.
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def abandoned_files(catalogue: Catalogue, collection: str, folder: Path) -> list[Path]:
    """Files of a collection that no record lists, also those that somebody is writing just now.

    Raises StoreError where the record of an import or a segment is damaged, so that what it lists is not known.
    """
    imports = counting(read_imports(catalogue, collection)).values()
    listed = {folder / stored.path for manifest in imports for stored in manifest.files}
    listed |= {folder / path for path in read_segments(catalogue, collection)}
    patterns = [f"{name}/*.parquet" for name in TABLES if name != "grades"] + ["grades/*/*.parquet"]
    parquet_files = [path for pattern in patterns for path in files_in(folder, pattern)]
    return [path for path in (*parquet_files, *files_below(folder, ".*.part")) if path not in listed]
