"""Reproduce: being written."""

from pages.shared import frame, show

with frame.page("Reproduce") as chosen:
    show.choice(chosen)
