"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.parts import agreement
from pages.shared import frame, show

with frame.page("Agreement") as chosen:
    if chosen.series:
        found, choice = agreement.measured(chosen)
        agreement.coefficients(found)
        agreement.both_matrices(found, chosen)
        show.notes([*found.notes, *found.scale_notes])
        if choice:
            agreement.cell(found, choice, chosen)
        agreement.all_cuts(chosen, choice, found)
        agreement.by_query(found, chosen)
