"""Verbs of stories."""

from exam_core.wings.stage.actions.stories import damaged_stories as damaged_stories
from exam_core.wings.stage.actions.stories import move_view as move_view
from exam_core.wings.stage.actions.stories import open_story as open_story
from exam_core.wings.stage.actions.stories import pin_view as pin_view
from exam_core.wings.stage.actions.stories import remove_view as remove_view
from exam_core.wings.stage.actions.stories import restore_view as restore_view
from exam_core.wings.stage.actions.stories import reword_view as reword_view
from exam_core.wings.stage.actions.stories import stories_of as stories_of
from exam_core.wings.stage.actions.stories import story_of as story_of
