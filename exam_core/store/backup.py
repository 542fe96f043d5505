"""A copy of a store, made while others may write to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from exam_core.errors import StoreError, UsageError
from exam_core.flushing import flush
from exam_core.progress import Progress, no_progress
from exam_core.store.catalogue import FILE
from exam_core.store.derived_files import FOLDER, LOCKS
from exam_core.store.files import files_below, files_in
from exam_core.store.sqlite_files import SUFFIX, SQLiteFile
from exam_core.store.store import Store


def copy_store(store: Store, folder: Path, progress: Progress = no_progress) -> int:
    """Copy a store into a new folder, which is there whole or not at all; others may write meanwhile.

    What was acknowledged before it began is in the copy. Files that are made of others again are not.

    Raises
    ------
    UsageError : the store is a single file, or the folder exists or lies in the store
    StoreError : something can't be read or written

    Returns
    -------
    bytes of the copy
    """
    if store.is_file:
        raise UsageError(f"{store.path} is a single file: copy it.")
    if folder.exists() or store.path.resolve() in folder.resolve().parents:
        raise UsageError(f"{folder}: name a folder that does not exist yet, outside of the store.")
    aside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
        with suppress(StoreError), store.catalogue.writing():
            pass  # what version 1 wrote is taken over before, where it can be
        size = _copied(store.path, aside, progress)
        aside.replace(folder)
        flush(folder.parent)
    except (OSError, shutil.Error) as error:
        raise StoreError(f"{folder}: can't be written ({error}). Check the folder and the free space.") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return size


def _copied(place: Path, target: Path, progress: Progress) -> int:
    """Copy each file, the catalogue first: what it lists stays for a day at least. Bytes of the copy."""
    paths = dict.fromkeys((*files_in(place, FILE), *_files(place)))
    size = 0
    for number, path in enumerate(paths):
        copy = target / path.relative_to(place)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # removed since it was listed
            if path.suffix == SUFFIX:
                with closing(SQLiteFile(path)) as file:
                    file.copy_to(copy)
            else:
                shutil.copy2(path, copy)
            flush(copy)
            size += copy.stat().st_size
        progress((number + 1) / len(paths))
    return size


def _files(place: Path) -> Iterator[Path]:
    """The files of a store that a copy needs."""
    for path in sorted(files_below(place, "*")):
        parts = path.relative_to(place).parts
        if LOCKS not in parts and FOLDER not in parts and path.suffix != ".part" and not path.name.endswith("-journal"):
            yield path
