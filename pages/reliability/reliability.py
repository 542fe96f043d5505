"""Reliability: which pairs of runs differ significantly, and how far ranks move with other queries."""

from exam_core.wording import RELIABILITY
from pages.reliability import resampled
from pages.shared import frame, show, wings

with frame.page(RELIABILITY) as chosen:
    if not wings.draw("draw_reliability", chosen):
        show.choice(chosen)
        (resampled.printed if chosen.in_print else resampled.graded)(chosen)
