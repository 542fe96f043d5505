"""The views of a story, for other wings."""

from __future__ import annotations

from dataclasses import replace

from exam_core.cli import common as cli
from exam_core.view import View


def views_of(collection: str, name: str) -> list[View]:
    """The views of a story, each with its page as that is called now."""
    from exam_core.wings.stage.actions import stories
    from exam_core.wings.stage.slides.making import now_called

    story = stories.story_of(cli.open_store(), collection, name)
    return [replace(view, page=now_called(view.page)) for view in story.views]


PINNED = (views_of,)
