"""Stories on disk: a small file for each, replaced as a whole under the collection's lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from exam_core.errors import StoreError, UsageError
from exam_core.store.files import files_in, folder_name, read_record, sealed, write_once
from exam_core.store.store import Store
from exam_core.wings.stage.story import Story, check_story_name

STORIES = ".stories"
"""Folder of the store with a folder for each collection; no collection's folder begins so."""
LARGEST = 16 << 20
"""Bytes of a story that are read: a hundred views and as many that were taken out, with long notes."""
VERSION = 1


@dataclass(frozen=True)
class _StoryFile:
    """What a file holds."""

    story: Story
    version: int = VERSION


def read_story(store: Store, collection: str, name: str) -> Story:
    """A story; empty where there is none of that name.

    Raises UsageError where that is no name of a story, and StoreError where it can't be read.
    """
    try:
        return story_in(_path(store, collection, name))
    except (FileNotFoundError, NotADirectoryError):
        return Story(name)


def story_in(path: Path) -> Story:
    """The story that a file holds. Raises FileNotFoundError where it is gone, and StoreError where it can't be read."""
    try:
        check_story_name(path.stem)
    except UsageError as error:
        raise StoreError(f"{path}: {error}") from None
    kept = read_record(path, _StoryFile, "story", most=LARGEST)
    if kept.version > VERSION:
        raise StoreError(f"{path}: was written by a newer version of Examboard. Open it with that version.")
    return replace(kept.story, name=path.stem)


def story_files(store: Store, collection: str) -> list[Path]:
    """The files of the stories of a collection, by name; also of those that have no view any more."""
    return files_in(store.path / STORIES / folder_name(collection), "[!.]*.json")


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
        content = sealed(msgspec.json.encode(_StoryFile(changed)))
        if len(content) > LARGEST:
            raise UsageError(f"The story {name} is full. Begin another one.")
        write_once(path, content)
    return changed


def _path(store: Store, collection: str, name: str) -> Path:
    return store.path / STORIES / folder_name(collection) / f"{check_story_name(name)}.json"


RECORDS = ((story_files, story_in, "The pinned views of this story can't be opened."),)
"""What `check` reads: the files of a collection, how one is read, and what is lost with it."""
