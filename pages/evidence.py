"""Passages: the passages behind the numbers, searched, and one with its grades, judgments and runs."""

from pages.parts import evidence
from pages.shared import frame

with frame.page("Passages", series=False) as chosen:
    evidence.draw(chosen)
    evidence.example(chosen)
