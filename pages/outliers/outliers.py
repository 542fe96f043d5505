"""Outliers: which runs stand elsewhere than the reference has them, and why."""

from pages.outliers import outlying as parts
from pages.shared import frame, show, wings

with frame.page("Outliers") as chosen:
    head, controls = parts.places()
    with controls:
        choices, found = parts.displaced(chosen)
    with head:
        parts.verdict(found, chosen)
    shown = parts.visible(found, chosen)
    clicked = parts.chart(shown, controls, chosen)
    run, method = parts.pick(found, clicked)
    parts.explanation(found, choices, run, method, chosen)
    parts.figures(shown, choices, run, method, chosen)
    show.notes(found.notes, expanded=False)
    wings.draw("draw_outliers", chosen, choices, found)
