"""Stories: pinned views in the order in which they are told, and their records in the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import msgspec

from exam_core.errors import StoreError, UsageError, is_utf8
from exam_core.store.catalogue import RecordKind
from exam_core.store.store import Store
from exam_core.store.version_1 import OldFiles
from exam_core.view import View

MOST_VIEWS, LONGEST_TITLE, LONGEST_SENTENCE, LONGEST_NOTE = 100, 200, 400, 4000
"""Views of a story, and characters of a title, a sentence and a note."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Removed:
    """A view that was taken out, and where it stood."""

    place: int
    view: View


@dataclass(frozen=True)
class Story:
    """Views in order, and what was taken out of them, the last one last."""

    name: str
    views: tuple[View, ...] = ()
    removed: tuple[Removed, ...] = ()

    def __post_init__(self) -> None:
        if len(self.views) > MOST_VIEWS or len({view.view_id for view in self.views}) < len(self.views):
            raise ValueError(f"a story has {MOST_VIEWS} views at most, each with an id of its own")

    def with_view(self, view: View) -> Story:
        """With a view at the end, if it is not there. Raises UsageError where the story is full, or a text too long."""
        if view.view_id in {known.view_id for known in self.views}:
            return self
        if len(self.views) >= MOST_VIEWS:
            raise UsageError(f"The story {self.name} has {MOST_VIEWS} views, and no more fit. Begin another one.")
        _check_texts(view)
        return replace(self, views=(*self.views, view))

    def moved(self, view_id: str, by: int) -> Story:
        """With a view so many places further on, at most at an end."""
        place, views = self._place(view_id), list(self.views)
        view = views.pop(place)
        views.insert(max(0, place + by), view)
        return replace(self, views=tuple(views))

    def reworded(self, view_id: str, title: str, note: str, sentence: str | None = None) -> Story:
        """With another title, note and sentence of a view; UsageError if they are too long."""
        place, views = self._place(view_id), list(self.views)
        own = sentence if sentence is None else sentence.strip()
        views[place] = replace(views[place], title=title.strip(), note=note.strip(), sentence=own)
        _check_texts(views[place])
        return replace(self, views=tuple(views))

    def without_view(self, view_id: str) -> Story:
        """Without a view; `restored` brings it back."""
        place = self._place(view_id)
        gone = (*self.removed, Removed(place, self.views[place]))[-MOST_VIEWS:]
        return replace(self, views=self.views[:place] + self.views[place + 1 :], removed=gone)

    def restored(self) -> Story:
        """With the view that was taken out last, where it stood. Raises UsageError where none was taken out."""
        if not self.removed:
            raise UsageError(f"Nothing was taken out of the story {self.name}.")
        *before, last = self.removed
        views = (*self.views[: last.place], last.view, *self.views[last.place :])
        return replace(self, views=views, removed=tuple(before))

    def _place(self, view_id: str) -> int:
        for place, view in enumerate(self.views):
            if view.view_id == view_id:
                return place
        raise UsageError(f"The story {self.name} has no such view any more: somebody else took it out.")


def collections_of(views: Iterable[View], home: str) -> list[str]:
    """The collections of views, that in which their story is kept first."""
    return list(dict.fromkeys((home, *(view.collection or home for view in views))))


def check_story_name(name: str) -> str:
    """The name of a story, which stands in links. Raises UsageError where it is none."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:80]!r} is not a name of a story: take 1 to 40 letters of A to Z, digits, - and _, for instance "
            "meeting-3."
        )
    return name


def _check_texts(view: View) -> None:
    for what, text, most in (
        ("title", view.title, LONGEST_TITLE),
        ("sentence", view.sentence or "", LONGEST_SENTENCE),
        ("note", view.note, LONGEST_NOTE),
    ):
        if len(text) > most:
            raise UsageError(f"The {what} has {len(text):,} characters; at most {most:,} fit.")
        if not is_utf8(text):
            raise UsageError(f"The {what} has an incomplete character. Type it again.")


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
    story_file = store.catalogue.find(STORY, check_story_name(name), collection)
    return replace(story_file.story, name=name) if story_file else Story(name)


def read_stories(store: Store, collection: str) -> tuple[list[Story], list[str]]:
    """The stories of a collection by name, also those without views, and a sentence for each damaged one."""
    records = store.catalogue.read(STORY, collection)
    stories = [replace(story_file.story, name=name) for name, story_file in sorted(records.values.items())]
    return stories, [record.sentence(store.path) for record in records.damaged]


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
        story_file = _StoryFile(changed)
        if len(msgspec.json.encode(story_file)) > LARGEST:
            raise UsageError(f"The story {name} is full. Begin another one.")
        store.catalogue.put(STORY, name, story_file, collection)
    return changed
