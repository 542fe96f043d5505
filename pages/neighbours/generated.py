"""Generated answers: how high they rank among judged documents (NRP), and whether an expert agrees."""

from pages.neighbours import rank_views as parts
from pages.shared import frame, show

with frame.page("Generated answers", series=False) as selection:
    asked = parts.choose(selection)
    found = None if asked is None else parts.ranked(selection, asked)
    if found is None:
        parts.without_ranks(selection)
    else:
        parts.board(found)
    parts.tabs(selection, found)
    if found is not None:
        show.notes(found.notes, expanded=False)
