"""Stories as a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from exam_core.results import ResultTable, count, text
from exam_core.wings.stage.story import Story

VIEWS = ResultTable(
    "story: views",
    "The views of stories, in order",
    text("story", "Story"),
    count("place", "Place", "Place of the view in its story, from 1.", unit="views"),
    text("title", "Title", "The page's title if the view has none."),
    text("page", "Page"),
    text("collection", "Collection", "The view's collection, if it is not the story's."),
    text("sentence", "Sentence", "Replaces the computed sentence."),
    text("note", "Note"),
    text("fingerprint", "Data", "Fingerprint of the collection when the view was pinned."),
)


def views_table(stories: Sequence[Story]) -> pd.DataFrame:
    """`VIEWS` of stories."""
    return VIEWS.of(
        [
            (story.name, place, view.heading, view.page, view.collection, view.sentence, view.note, view.fingerprint)
            for story in stories
            for place, view in enumerate(story.views, 1)
        ]
    )
