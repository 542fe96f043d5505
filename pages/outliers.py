"""Outliers: which runs stand elsewhere than the reference has them, and why."""

from pages.parts import circularity, why
from pages.parts import outliers as parts
from pages.shared import frame, show

with frame.page("Outliers") as chosen:
    show.choice(chosen)
    choices, found = parts.ASKED[chosen.basis](chosen)
    parts.verdict(found)
    shown = parts.visible(found, chosen)
    clicked = parts.chart(shown)
    run = parts.pick(found, clicked)
    if run:
        parts.standing(found, run)
        if choice := parts.method(found, choices, run, chosen):
            why.draw(chosen, choice, run)
            parts.explanation(choice, run, chosen)
    parts.figures(shown)
    show.notes(found.notes)
    circularity.view(chosen, choices, found)
