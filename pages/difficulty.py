"""Question difficulty: which questions are hard, which tell nothing, and which tell good runs from bad ones."""

from pages.parts import difficulty as parts
from pages.shared import frame, show

with frame.page("Question difficulty") as chosen:
    show.choice(chosen)
    if chosen.printed:
        parts.nothing_printed(chosen)
    else:
        mode = show.mode(chosen)
        found = parts.ask(chosen, mode)
        parts.summary(found)
        rows = parts.filtered(found)
        clicked = parts.chart(rows, found)
        row = parts.table(rows)
        parts.question(parts.pick(rows, clicked, row), found, chosen, mode)
        parts.queries(found)
        show.notes(found.notes)
