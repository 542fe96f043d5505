"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.agreement import kappas
from pages.shared import frame

with frame.page("Agreement") as selection:
    if printed := selection.in_print:
        kappas.as_printed(printed, selection)
    else:
        kappas.as_graded(selection)
