"""Where texts and bytes enter the stage."""

from __future__ import annotations

import msgspec

from benchmarks.seams import Seam, of_kind
from exam_core.request import Request
from exam_core.view import View
from exam_core.wings.stage.report_page import leads_elsewhere
from exam_core.wings.stage.story import STORY, Story, check_story_name


def story_of(text: str) -> None:
    """A text as a title, a note, a name and a link."""
    leads_elsewhere(text)
    view = View("Leaderboard", (), Request(), title=text, note=text)
    msgspec.json.encode(Story("s").with_view(view))
    check_story_name(text)


STORY_SAID = {"story": Story("s", (View("Leaderboard", ("g",), Request(), note="so"),)), "version": 1}
SEAMS = {"view of a story": Seam(story_of, ("meeting-3", "A title")), "story": of_kind(STORY, STORY_SAID)}
