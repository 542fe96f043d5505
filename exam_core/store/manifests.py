"""The commit points: one small JSON file for each import, written last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import content_name, write_once

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
    newest: dict[str, Manifest] = {}
    for name in names:
        path = folder / "imports" / name
        try:
            manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
        except (OSError, msgspec.MsgspecError) as error:
            raise StoreError(f"{path}: not a manifest of this store ({error}).") from None
        newest.pop(manifest.source, None)
        newest[manifest.source] = manifest
    return list(newest.values())
