"""Nuggets: the six scores of each run, and which nugget was found where."""

from pages.parts import nuggets
from pages.shared import frame, show

with frame.page("Nuggets") as chosen:
    show.choice(chosen)
    nuggets.draw(chosen)
