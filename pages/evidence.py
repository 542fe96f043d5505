"""Evidence: the passages behind the numbers, searched, and one with its grades, judgments and runs."""

from pages.parts import evidence
from pages.shared import frame

with frame.page("Evidence") as chosen:
    if chosen.printed:
        evidence.nothing(chosen)
    else:
        choice = evidence.graded(chosen)
        evidence.answer(chosen, choice, evidence.ask(chosen, choice))
    evidence.example(chosen)
