"""The verb of the wing."""

from exam_core.wings.modes.actions.adding import add_mode as add_mode
