"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.agreement import kappas
from pages.shared import frame

with frame.page("Agreement") as chosen:
    (kappas.as_printed if chosen.basis == "print" else kappas.as_graded)(chosen)
