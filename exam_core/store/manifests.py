"""Imports: what each of them brought, from what, by whom, as a record of the catalogue, which makes it count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.catalogue import Catalogue, RecordKind
from exam_core.store.files import content_name, touch
from exam_core.wording import counted

ID_COLUMN = {
    "rankings": "run_id",
    "judgments": "qrels_id",
    "questions": "bank_id",
    "grades": "grader_id",
    "leaderboards": "leaderboard_id",
    "confusions": "confusion_id",
    "scores": "method",
    "versions": "bank_id",
}
"""The column by which an import can own rows: a run file owns its runs, a qrels file its judgments."""


class StoredFile(msgspec.Struct, frozen=True):
    """One Parquet file of an import, by its path in the collection's folder."""

    table: str
    path: str
    rows: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One import: which files it brought, from what, by whom, and what it owns.

    Rows whose id an import owns (table, id; a bank as `genq@2`) come from the newest owner only.
    Of several imports with one source, only the newest counts. Imports that were made in one go have `together` in
    common; it is empty for all others. `read` was filled in by an earlier version, whose records have it in their ids.
    """

    sequence: int
    source: str
    file: str
    sha256: str
    created: str
    version: str
    files: list[StoredFile]
    owns: list[tuple[str, str]] = []
    graders: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    notes: list[str] = []
    by: str = ""
    together: str = ""
    read: str = ""

    @property
    def id(self) -> str:
        """The import's id: sorts by sequence, then by content."""
        return f"{self.sequence:06d}-{content_name(msgspec.json.encode(self))}"


_LOST = "The collection can't be opened."
IMPORT = RecordKind(
    "import",
    Manifest,
    _LOST,
    "Put the store's catalogue back from a copy, or set the record aside (examboard check --repair) and import its "
    "source again within a day.",
)
UNDONE = RecordKind("undone", Manifest, "What was imported before, and is no more, is not known.")


def read_imports(catalogue: Catalogue, collection: str) -> dict[str, Manifest]:
    """All imports of a collection by their ids, oldest first. Raises StoreError where the record of one is damaged."""
    records = catalogue.read(IMPORT, collection)
    if records.damaged:
        raise StoreError(records.damaged[0].sentence(catalogue.place))
    return dict(sorted(records.values.items()))


def counting(imports: Mapping[str, Manifest]) -> dict[str, Manifest]:
    """The imports that count, oldest first: of each source, the newest."""
    newest: dict[str, tuple[str, Manifest]] = {}
    for name, manifest in imports.items():
        newest.pop(manifest.source, None)
        newest[manifest.source] = (name, manifest)
    return dict(newest.values())


def undo(catalogue: Catalogue, collection: str, folder: Path, undone: str) -> Manifest | None:
    """Undo an import; what it superseded counts again. In a transaction.

    An earlier import of the same source whose files are collected meanwhile can't come back: it is undone, too. Returns
    the earlier import that counts again, if there is one.
    """
    imports = read_imports(catalogue, collection)
    # What is undone can be read for another day by whoever opened the collection before.
    touch(folder / stored.path for stored in imports[undone].files)
    _move(catalogue, collection, undone, imports[undone])
    for name in sorted(imports, reverse=True):
        manifest = imports[name]
        if name < undone and manifest.source == imports[undone].source:
            if touch(folder / stored.path for stored in manifest.files) == len(manifest.files):
                return manifest
            _move(catalogue, collection, name, manifest)
    return None


def without_files(catalogue: Catalogue, collection: str, name: str, paths: Collection[str]) -> None:
    """Let an import go on without some of the files that its record lists; the record as it was becomes one of an
    undone import.
    """
    with catalogue.writing():
        manifest = catalogue.find(IMPORT, name, collection)
        if manifest is None:
            return  # somebody else did so meanwhile
        left = [stored for stored in manifest.files if stored.path not in paths]
        lost = sum(stored.rows for stored in manifest.files) - sum(stored.rows for stored in left)
        note = f"{counted({'rows were': lost})} damaged and set aside ({', '.join(sorted(paths))}): import it again."
        _move(catalogue, collection, name, manifest)
        changed = msgspec.structs.replace(manifest, files=left, notes=[*manifest.notes, note])
        catalogue.put(IMPORT, changed.id, changed, collection)


def _move(catalogue: Catalogue, collection: str, name: str, manifest: Manifest) -> None:
    catalogue.remove(IMPORT, name, collection)
    catalogue.put(UNDONE, name, manifest, collection)
