"""Questions: which of a bank separate good runs from bad; edit them, compare versions, have a model write new ones."""

from pages.questions import bank_views
from pages.shared import frame

with frame.page("Questions", series=False) as selection:
    bank_views.draw(selection)
