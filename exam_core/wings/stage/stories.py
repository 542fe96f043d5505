"""Stories: views are pinned, put in order, worded anew, taken out and brought back."""

from __future__ import annotations

from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import story as records
from exam_core.wings.stage.story import Story


@verb("read", has_line=False)
def story_of(store: Store, collection: str, name: str) -> Story:
    """A story with at least one view.

    Raises
    ------
    UsageError : no such collection or story; the message names those there are
    StoreError : it can't be read
    """
    store.snapshot(collection)
    result = records.read_story(store, collection, name)
    if not result.views:
        known = ", ".join(story.name for story in stories_of(store, collection))
        text = f"There are: {known}." if known else "Pin views on the dashboard's pages."
        raise UsageError(f"{collection} has no story {name}. {text}")
    return result


@verb("read", has_line=False)
def stories_of(store: Store, collection: str) -> list[Story]:
    """The stories of a collection that have views, by name; without those that can't be read: `damaged_stories`."""
    return [story for story in records.read_stories(store, collection)[0] if story.views]


@verb("read", has_line=False)
def damaged_stories(store: Store, collection: str) -> list[str]:
    """A sentence for each story that can't be read: why, and what to do."""
    return records.read_stories(store, collection)[1]


@verb("read", has_line=False)
def open_story(store: Store, collection: str, name: str) -> Story:
    """A story to work on; empty where there is none yet; errors as `story_of`."""
    return records.read_story(store, collection, name)


@verb("edit")
def pin_view(store: Store, collection: str, name: str, view: View) -> Story:
    """Put a view at the end of a story, which begins with its first view and may be of another collection.

    Raises
    ------
    UsageError : no such collection, no name of a story, or no room for the view
    StoreError : the store can't be written, or is a single file
    """
    for home in {collection, view.collection or collection}:
        store.snapshot(home)
    return records.change_story(store, collection, name, lambda story: story.with_view(view))


@verb("edit")
def move_view(store: Store, collection: str, name: str, view_id: str, by: int) -> Story:
    """Move a view so many places on, or back; errors as `pin_view`."""
    return records.change_story(store, collection, name, lambda story: story.moved(view_id, by))


@verb("edit")
def reword_view(
    store: Store, collection: str, name: str, view_id: str, words: tuple[str, str] | tuple[str, str, str | None]
) -> Story:
    """Give a view another title, note and, if given, sentence (None: the computed one); errors as `pin_view`."""
    return records.change_story(store, collection, name, lambda story: story.reworded(view_id, *words))


@verb("edit")
def remove_view(store: Store, collection: str, name: str, view_id: str) -> Story:
    """Take a view out; errors as `pin_view`."""
    return records.change_story(store, collection, name, lambda story: story.without_view(view_id))


@verb("edit")
def restore_view(store: Store, collection: str, name: str) -> Story:
    """Bring back what was taken out last; errors as `pin_view`, and where nothing was."""
    return records.change_story(store, collection, name, lambda story: story.restored())
