"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.parts import agreement
from pages.shared import frame

with frame.page("Agreement") as chosen:
    (agreement.as_printed if chosen.basis == "print" else agreement.as_graded)(chosen)
