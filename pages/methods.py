"""Which method, which tau: how well each grading mode agrees with the reference at each tau, and which to use."""

from exam_core.wording import METHODS
from pages.parts import methods
from pages.shared import frame, show

with frame.page(METHODS) as chosen:
    show.choice(chosen)
    (methods.printed if chosen.basis == "print" else methods.graded)(chosen)
