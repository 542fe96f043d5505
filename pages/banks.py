"""Banks: edit one and see at once what that does; its versions, its health, and new questions from a model."""

from pages.parts import banks
from pages.shared import frame

with frame.page("Banks", series=False) as chosen:
    banks.draw(chosen)
