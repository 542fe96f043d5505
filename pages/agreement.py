"""Agreement: labels against human judgments, as graded and cut in two, and the passages in each cell."""

from pages.parts import agreement
from pages.shared import frame

with frame.page("Agreement") as chosen:
    agreement.SHOWN[chosen.basis](chosen)
