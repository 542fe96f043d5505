"""The commit points: one small JSON file for each import, written last."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.store.files import HASH_DIGITS, content_name, content_of, files_in, touch, write_once
from exam_core.wording import counted

UNDONE = "undone"
"""Folder beside the manifests that count, for those of imports that were undone."""

TOGETHER = ".together"
"""Folder of the store for commits of several imports: a file in it makes their manifests count."""

_NAME = re.compile(rf"(\d{{6,}}-[0-9a-f]{{{HASH_DIGITS}}})\.json(?:\.(\w+))?")
"""A manifest's file: its import's id, and the commit that it waits for. What else lies there is somebody else's."""

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
    common; it is empty for all others. `read` says what was read and how, and of how many imports this is one.
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
    def name(self) -> str:
        """File name: sorts by sequence, then by content."""
        return f"{self.sequence:06d}-{content_name(msgspec.json.encode(self))}.json"


def import_id(name: str) -> str:
    """The id of the import whose manifest has this file name."""
    return name.partition(".")[0]


def write_manifests(manifests: Sequence[tuple[Path, Manifest]]) -> None:
    """Commit: from one rename on, the files of all these imports are visible.

    Several manifests wait, under names of their own, for a file that makes them count together; then they get their
    usual names.

    Parameters
    ----------
    manifests : each with its collection's folder, all in one store
    """
    if len(manifests) == 1:
        ((folder, manifest),) = manifests
        write_once(folder / "imports" / manifest.name, _encoded(manifest))
        return
    together = content_name(b"".join(_encoded(manifest) for _, manifest in manifests))
    waiting = [folder / "imports" / f"{manifest.name}.{together}" for folder, manifest in manifests]
    for path, (_, manifest) in zip(waiting, manifests, strict=True):
        write_once(path, _encoded(manifest))
    # This file stays: whoever listed a manifest under its waiting name just now asks for it next.
    write_once(manifests[0][0].parent / TOGETHER / together, b"")
    for folder in dict.fromkeys(folder for folder, _ in manifests):
        finish_waiting(folder)


def finish_waiting(folder: Path) -> None:
    """Give manifests of a commit that made several count together their usual names.

    What is left to do after a commit, and after one that was killed; readers see no difference.
    """
    for name in manifest_names(folder):
        usual = f"{import_id(name)}.json"
        if name != usual:
            with suppress(OSError):
                (folder / "imports" / name).replace(folder / "imports" / usual)


def _encoded(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest))


def manifest_names(folder: Path) -> list[str]:
    """Names of the manifests of a collection, oldest first. Raises StoreError where the folder can't be read."""

    def counts(match: re.Match[str]) -> bool:
        return not match[2] or (folder.parent / TOGETHER / match[2]).exists()

    found = [match for path in files_in(folder / "imports", "*") if (match := _NAME.fullmatch(path.name))]
    return [match[0] for match in found if counts(match)]


def abandoned_manifests(folder: Path) -> list[Path]:
    """Manifests that wait for others which never came."""
    counting = set(manifest_names(folder))
    return [path for path in files_in(folder / "imports", "*.json.*") if path.name not in counting]


def read_manifests(folder: Path, names: list[str]) -> list[Manifest]:
    """The manifests that count, oldest first: of each source, the newest."""
    return list(read_imports(folder, names).values())


def read_imports(folder: Path, names: list[str]) -> dict[str, Manifest]:
    """The manifests that count by the names of their files, oldest first: of each source, the newest.

    Raises StoreError where a manifest is damaged.
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


def set_aside(folder: Path, import_name: str) -> Manifest | None:
    """Undo an import with one rename of its manifest; what it superseded counts again.

    An earlier import of the same source whose files are collected meanwhile can't come back: its manifest is set
    aside first, so that no reader meets a manifest without files.

    Raises StoreError where somebody else undid it, or the folder can't be written.

    Returns
    -------
    the earlier import that counts again, if there is one
    """
    finish_waiting(folder)
    name = f"{import_name}.json"
    try:
        undone = _read(folder, name)
        again = _bring_back(folder, [other for other in manifest_names(folder) if other < name], undone.source)
        # What is undone can be read for another day by whoever opened the collection before.
        touch(folder / stored.path for stored in undone.files)
        _move(folder, name)
    except FileNotFoundError:
        raise StoreError(f"The import {import_name} was undone by somebody else just now.") from None
    return again


def without_files(folder: Path, name: str, paths: Collection[str]) -> None:
    """Let an import go on without some of its files; its record of them is set aside as of an import that was undone.

    Parameters
    ----------
    name : of the file of its manifest
    paths : as the manifest lists them
    """
    finish_waiting(folder)
    name = f"{import_id(name)}.json"
    manifest = _read(folder, name)
    left = [stored for stored in manifest.files if stored.path not in paths]
    lost = sum(stored.rows for stored in manifest.files) - sum(stored.rows for stored in left)
    note = f"{counted({'rows were': lost})} damaged and set aside ({', '.join(sorted(paths))}): import it again."
    # Of two imports with one source the later counts; until the old one is gone, either may.
    write_manifests([(folder, msgspec.structs.replace(manifest, files=left, notes=[*manifest.notes, note]))])
    _move(folder, name)


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
        move(folder / "imports" / name, aside / name)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(
            f"{folder / 'imports' / name}: can't be moved ({error.strerror}).\nCheck the rights on the store's folder."
        ) from None


def _read(folder: Path, name: str) -> Manifest:
    path = folder / "imports" / name
    usual = f"{import_id(name)}.json"
    try:
        seen = path.stat()
        return _decoded(path, seen.st_mtime_ns, seen.st_size)
    except FileNotFoundError:
        if name == usual:
            raise
        return _read(folder, usual)
    except (OSError, ValueError, RecursionError) as error:
        # Damaged bytes need not even be text; msgspec's errors are ValueErrors too.
        raise StoreError(
            f"{path}: this record of an import is damaged or can't be read ({error}).\n"
            "Restore it from a copy, or remove it and import its source again; nothing else is lost."
        ) from None


@lru_cache(maxsize=10_000)
def _decoded(path: Path, _modified: int, _size: int) -> Manifest:
    """A manifest as it was when it was written: of many, each is decoded once."""
    content = msgspec.json.format(content_of(path), indent=-1)
    if content_name(content) != import_id(path.name)[-HASH_DIGITS:]:
        raise ValueError("its content is not what was written")
    return msgspec.json.decode(content, type=Manifest)
