"""Questions: which questions are hard, which tell nothing, and which tell good runs from bad ones."""

from pages.questions import hardest
from pages.shared import frame, show

with frame.page("Questions") as chosen:
    show.choice(chosen)
    hardest.draw(chosen)
