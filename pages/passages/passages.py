"""Passages: the passages behind the numbers, searched, and one with its grades, judgments and runs."""

from pages.passages import passage_search
from pages.shared import frame

with frame.page("Passages", series=False) as selection:
    passage_search.draw(selection)
    passage_search.example(selection)
