"""Cutoffs: what each tau trades off, and which to use."""

from pages.parts import cutoffs as parts
from pages.shared import frame, show

with frame.page("Cutoffs") as chosen:
    show.choice(chosen)
    if chosen.printed:
        parts.printed(chosen)
    elif found := parts.sweep(chosen):
        parts.recommendation(found, chosen)
        coefficient = parts.coefficient(chosen)
        parts.charts(found, chosen, coefficient)
        parts.table(found, chosen)
        parts.notes(found)
        if chosen.asked.reference is not None:
            parts.by_measure(found, chosen, coefficient)
