"""The commit points: one small JSON file for each import, written last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import content_name, touch, write_once

UNDONE = "undone"
"""Folder beside the manifests that count, for those of imports that were undone."""

ID_COLUMN = {
    "rankings": "run_id",
    "judgments": "qrels_id",
    "questions": "bank_id",
    "grades": "grader_id",
    "leaderboards": "leaderboard_id",
    "confusions": "confusion_id",
}
"""The column by which an import can own rows: a run file owns its runs, a qrels file its judgments."""


class StoredFile(msgspec.Struct, frozen=True):
    """One Parquet file of an import, by its path in the collection's folder."""

    table: str
    path: str
    rows: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One import: which files it brought, from what, and what it owns.

    Rows whose id an import owns (table, id; a bank as `genq@2`) come from the newest owner only.
    Of several imports with one source, only the newest counts.
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

    @property
    def name(self) -> str:
        """File name: sorts by sequence, then by content."""
        return f"{self.sequence:06d}-{content_name(msgspec.json.encode(self))}.json"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Commit: from this rename on, the import's files are visible."""
    write_once(folder / "imports" / manifest.name, msgspec.json.format(msgspec.json.encode(manifest)))


def manifest_names(folder: Path) -> list[str]:
    """Names of the manifests of a collection, oldest first."""
    imports = folder / "imports"
    return sorted(path.name for path in imports.glob("*.json")) if imports.is_dir() else []


def read_manifests(folder: Path, names: list[str]) -> list[Manifest]:
    """The manifests that count, oldest first: of each source, the newest."""
    return list(read_imports(folder, names).values())


def read_imports(folder: Path, names: list[str]) -> dict[str, Manifest]:
    """The manifests that count by the names of their files, oldest first: of each source, the newest.

    Raises
    ------
    StoreError : a manifest is damaged
    """
    newest: dict[str, tuple[str, Manifest]] = {}
    for name in names:
        try:
            manifest = _read(folder, name)
        except FileNotFoundError:
            continue  # Undone since the names were listed.
        newest.pop(manifest.source, None)
        newest[manifest.source] = (name, manifest)
    return dict(newest.values())


def set_aside(folder: Path, name: str) -> Manifest | None:
    """Undo the import of that manifest with one rename; what it superseded counts again.

    An earlier import of the same source whose files are collected meanwhile can't come back: its manifest is set
    aside first, so that no reader meets a manifest without files.

    Returns
    -------
    the earlier import that counts again, if there is one

    Raises
    ------
    StoreError : somebody else undid it, or the folder can't be written
    """
    try:
        undone = _read(folder, name)
        again = _bring_back(folder, [other for other in manifest_names(folder) if other < name], undone.source)
        # What is undone can be read for another day by whoever opened the collection before.
        touch(folder / stored.path for stored in undone.files)
        _move(folder, name)
    except FileNotFoundError:
        raise StoreError(f"The import {name.removesuffix('.json')} was undone by somebody else just now.") from None
    return again


def _bring_back(folder: Path, earlier: list[str], source: str) -> Manifest | None:
    """The newest earlier import of a source whose files are still there; those without files are set aside."""
    for name in reversed(earlier):
        manifest = _read(folder, name)
        if manifest.source != source:
            continue
        if touch(folder / stored.path for stored in manifest.files) == len(manifest.files):
            return manifest
        _move(folder, name)
    return None


def _move(folder: Path, name: str) -> None:
    aside = folder / "imports" / UNDONE
    try:
        aside.mkdir(exist_ok=True)
        (folder / "imports" / name).replace(aside / name)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(
            f"{folder / 'imports' / name}: can't be moved ({error.strerror}).\nCheck the rights on the store's folder."
        ) from None


def _read(folder: Path, name: str) -> Manifest:
    path = folder / "imports" / name
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        raise
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(f"{path}: not a manifest of this store ({error}).") from None
