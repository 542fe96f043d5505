"""Cutoffs: what each tau trades off, and which to use."""

from pages.parts import cutoffs
from pages.shared import frame, show

with frame.page("Cutoffs") as chosen:
    show.choice(chosen)
    cutoffs.SHOWN[chosen.basis](chosen)
