"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.agreement import kappas
from pages.shared import frame

with frame.page("Agreement") as chosen:
    if printed := chosen.in_print:
        kappas.as_printed(printed, chosen)
    else:
        kappas.as_graded(chosen)
