"""How sure is the order: which pairs of runs differ significantly, and how far ranks move with other queries."""

from exam_core.wording import ORDER
from pages.how_sure import resampled
from pages.shared import frame, show

with frame.page(ORDER) as chosen:
    show.choice(chosen)
    (resampled.printed if chosen.in_print else resampled.graded)(chosen)
