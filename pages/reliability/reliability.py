"""Reliability: which pairs of runs differ significantly, and how far ranks move with other queries."""

from exam_core.wording import RELIABILITY
from pages.reliability import resampled
from pages.shared import frame, show, wings

with frame.page(RELIABILITY) as selection:
    if not wings.draw("draw_reliability", selection):
        show.choice(selection)
        (resampled.printed if selection.in_print else resampled.graded)(selection)
