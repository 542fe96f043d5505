"""The modes of one's own that a store keeps, as the core asks for them."""

from __future__ import annotations

from exam_core.wings.modes.grading.mode_reading import own_modes, unread_modes

KEPT = (own_modes,)
UNREAD = (unread_modes,)
