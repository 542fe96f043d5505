"""Outliers: which runs stand elsewhere than the reference has them, and why."""

from pages.parts import outliers as parts
from pages.shared import frame, show

with frame.page("Outliers") as chosen:
    show.choice(chosen)
    choices, found = parts.ASKED[chosen.basis](chosen)
    parts.verdict(found)
    clicked = parts.chart(found)
    run = parts.pick(found, clicked)
    if run:
        parts.standing(found, run)
        parts.explanation(found, choices, run, chosen)
    parts.figures(found)
    show.notes(found.notes)
