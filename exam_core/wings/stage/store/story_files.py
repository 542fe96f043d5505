"""Stories in the store: a record for each, replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from exam_core.errors import StoreError, UsageError
from exam_core.store.catalogue import RecordKind
from exam_core.store.store import Store
from exam_core.store.version_1 import OldFiles
from exam_core.wings.stage.story import Story, check_story_name

LARGEST = 16 << 20
"""Bytes of a story: a hundred views and as many that were taken out, with long notes."""
VERSION = 1


@dataclass(frozen=True)
class _StoryFile:
    """What a record holds."""

    story: Story
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version > VERSION:
            raise ValueError("it was written by a newer version of Examboard")


STORY = RecordKind("story", _StoryFile, "The pinned views of this story can't be opened.")
KINDS = (STORY,)
BEFORE = (OldFiles("story", ".stories/*/*.json", 1, lambda path: path.stem),)


def read_story(store: Store, collection: str, name: str) -> Story:
    """A story; empty where there is none of that name.

    Raises UsageError where that is no name of a story, and StoreError where it can't be read.
    """
    kept = store.catalogue.find(STORY, check_story_name(name), collection)
    return replace(kept.story, name=name) if kept else Story(name)


def read_stories(store: Store, collection: str) -> tuple[list[Story], list[str]]:
    """The stories of a collection by name, also those without views, and a sentence for each damaged one."""
    records = store.catalogue.read(STORY, collection)
    stories = [replace(kept.story, name=name) for name, kept in sorted(records.values.items())]
    return stories, [one.sentence(store.path) for one in records.damaged]


def change_story(store: Store, collection: str, name: str, change: Callable[[Story], Story]) -> Story:
    """Change a story as it is now; when this returns it is on disk. Nobody else changes it meanwhile.

    Raises
    ------
    UsageError : no such name, or the change is refused
    StoreError : it can't be read or written, or the store is a single file
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single-file store and read only; pin views in a folder.")
    check_story_name(name)
    with store.locked(collection):
        changed = change(read_story(store, collection, name))
        kept = _StoryFile(changed)
        if len(msgspec.json.encode(kept)) > LARGEST:
            raise UsageError(f"The story {name} is full. Begin another one.")
        store.catalogue.put(STORY, name, kept, collection)
    return changed
