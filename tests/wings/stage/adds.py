"""What the stage adds to tests of the whole."""

from __future__ import annotations

from typing import Any

from exam_core.request import Request
from exam_core.store import Store
from exam_core.view import View
from exam_core.wings.stage import stories
from exam_core.wings.stage.story import change_story, read_story
from tests.wings import Record

READING = {"story list": ["story list {collection}"]}
ELSEWHERE = {"export story": "wings/stage/test_stories.py", "export report": "wings/stage/test_page.py"}
WITHOUT_ROWS = ("story list {collection}",)
EXPORTING = ("export report demo {file} --bank open --static",)
EXPORTED = (("export report demo FILE --bank open --static", "1 leaderboard"),)
SAVED = "Save the report for print (HTML)"
PARAMETERS = ("story", "slide")


def _pin(store: Store, name: str) -> object:
    view = View("Leaderboard", ("ours",), Request(tau=3), title="t", address={"tau": ["3"]}, view_id="0" * 8)
    return stories.pin_view(store, "c", name, view)


RECORDS = {
    "story": Record(
        _pin,
        lambda store: len(stories.stories_of(store, "c")),
        lambda store: [view.page for view in read_story(store, "c", "told").views],
        lambda store: change_story(store, "c", "told", lambda story: story),
    )
}


def found_at_seams(half: str, deep: bytes) -> list[tuple[str, str | bytes]]:
    """What was found once where texts and bytes enter: half a character, and lists in lists."""
    return [("view of a story", half), ("story", deep)]


GOLDEN_ASKED = ("story list demo",)


def golden_made(store: Store) -> None:
    """Pin a view in a golden store."""
    view = View("Leaderboard", (), Request(bank="open", tau=3), ("a",), title="First")
    stories.pin_view(store, "demo", "Talk", view)


def golden_answers(store: Store) -> dict[str, Any]:
    """What a golden store says of it that no command does."""
    return {"views": [[view.page, view.title] for view in stories.story_of(store, "demo", "Talk").views]}
