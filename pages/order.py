"""How sure is the order: which pairs of runs differ significantly, and how far ranks move with other queries."""

from exam_core.wording import ORDER
from pages.parts import stability
from pages.shared import frame, show

with frame.page(ORDER) as chosen:
    show.choice(chosen)
    (stability.printed if chosen.basis == "print" else stability.graded)(chosen)
