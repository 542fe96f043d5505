"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.parts import agreement
from pages.shared import frame, show

with frame.page("Agreement") as chosen:
    if chosen.printed:
        agreement.as_printed(chosen)
    elif chosen.series:
        found, choice = agreement.measured(chosen)
        agreement.coefficients(found)
        agreement.both_matrices(found, chosen)
        show.notes([*found.notes, *found.scale_notes])
        agreement.cell(found, choice, chosen)
        agreement.all_cuts(found, choice, chosen)
        agreement.by_query(found)
