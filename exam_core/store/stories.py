"""Stories on disk: a small file for each, replaced as a whole under the collection's lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from exam_core.errors import StoreError
from exam_core.store.files import files_in, folder_name, record_of, sealed, write_once
from exam_core.store.store import Store
from exam_core.story import Story, check_story_name

STORIES = ".stories"
"""Folder of the store with a folder for each collection; no collection's folder begins so."""
LARGEST = 16 << 20
"""Bytes of a story that are read: a hundred views and as many that were taken out, with long notes."""
VERSION = 1


@dataclass(frozen=True)
class _Kept:
    """What a file holds."""

    story: Story
    version: int = VERSION


def read_story(store: Store, collection: str, name: str) -> Story:
    """A story; empty where there is none of that name.

    Raises
    ------
    UsageError : that is no name of a story
    StoreError : it can't be read
    """
    path = _path(store, collection, name)
    try:
        if path.stat().st_size > LARGEST:
            raise StoreError(f"{path}: is larger than {LARGEST >> 20} MiB, which no story is.")
        kept = record_of(path.read_bytes(), _Kept)
    except (FileNotFoundError, NotADirectoryError):
        return Story(name)
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror}).") from None
    except ValueError as error:
        raise StoreError(f"{path}: is no story ({error}). Remove the file, or bring it back from a copy.") from None
    if kept.version > VERSION:
        raise StoreError(f"{path}: was written by a newer version of Examboard. Open it with that version.")
    return kept.story


def story_names(store: Store, collection: str) -> list[str]:
    """Names of the stories of a collection, sorted; also of those that have no view any more."""
    return [path.stem for path in files_in(store.path / STORIES / folder_name(collection), "[!.]*.json")]


def change_story(store: Store, collection: str, name: str, change: Callable[[Story], Story]) -> Story:
    """Change a story as it is now; when this returns it is on disk. Nobody else changes it meanwhile.

    Raises
    ------
    UsageError : no such name, or the change is refused
    StoreError : it can't be read or written, or the store is a single file
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; pin views in a folder.")
    path = _path(store, collection, name)
    with store.locked(collection):
        changed = change(read_story(store, collection, name))
        write_once(path, sealed(msgspec.json.encode(_Kept(changed))))
    return changed


def _path(store: Store, collection: str, name: str) -> Path:
    return store.path / STORIES / folder_name(collection) / f"{check_story_name(name)}.json"
