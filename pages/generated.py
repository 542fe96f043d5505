"""Generated answers: how high they rank among judged documents (NRP), and whether an expert agrees."""

from pages.parts import generated as parts
from pages.shared import frame, show

with frame.page("Generated answers", series=False) as chosen:
    asked = parts.choose(chosen)
    notes = []
    if asked is None:
        parts.without_ranks(chosen)
    else:
        found = parts.ranked(chosen, asked)
        parts.board(found)
        parts.by_size(chosen, found)
        notes += found.notes
    notes += parts.experts(chosen)
    show.notes(notes)
