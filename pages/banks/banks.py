"""Banks: edit one and see at once what that does; its versions, its health, and new questions from a model."""

from pages.banks import bank_views
from pages.shared import frame

with frame.page("Banks", series=False) as chosen:
    bank_views.draw(chosen)
