"""Generated answers: how high they rank among judged documents (NRP), and whether an expert agrees."""

from pages.neighbours import rank_views as parts
from pages.shared import frame, show

with frame.page("Generated answers", series=False) as chosen:
    asked = parts.choose(chosen)
    found = None if asked is None else parts.ranked(chosen, asked)
    if found is None:
        parts.without_ranks(chosen)
    else:
        parts.board(found)
    parts.tabs(chosen, found)
    if found is not None:
        show.notes(found.notes, expanded=False)
