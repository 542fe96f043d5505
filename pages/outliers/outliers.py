"""Outliers: which runs stand elsewhere than the reference has them, and why."""

from pages.outliers import outlying as parts
from pages.shared import frame, show, wings

with frame.page("Outliers") as selection:
    head, controls = parts.places()
    with controls:
        choices, found = parts.displaced(selection)
    with head:
        parts.verdict(found, selection)
    shown = parts.visible(found, selection)
    clicked = parts.chart(shown, controls, selection)
    run, method = parts.pick(found, clicked)
    parts.explanation(found, choices, run, method, selection)
    parts.figures(shown, choices, run, method, selection)
    show.notes(found.notes, expanded=False)
    wings.draw("draw_outliers", selection, choices, found)
