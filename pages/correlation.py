"""Correlation: how well each grading mode agrees with the reference, and run by run where it does not (table 3)."""

from pages.parts import correlation as parts
from pages.shared import frame, show

with frame.page("Correlation") as chosen:
    show.choice(chosen)
    if chosen.asked.reference is None:
        parts.without_reference(chosen)
    else:
        beside, notes = parts.printed(chosen) if chosen.printed else parts.graded(chosen)
        if beside is not None:
            parts.scatter(beside)
            parts.slopes(beside)
            parts.runs(beside)
            notes = [*notes, *beside.notes]
        show.notes(notes)
