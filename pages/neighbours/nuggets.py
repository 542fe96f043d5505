"""Nuggets: the six scores of each run, and which nugget was found where."""

from pages.neighbours import nugget_views as parts
from pages.shared import frame, show

with frame.page("Nuggets") as selection:
    show.choice(selection, of_measure=False)
    parts.draw(selection)
