"""Generated answers: how high they rank among judged documents (NRP), and whether an expert agrees."""

from pages.neighbours import rank_views as parts
from pages.shared import frame, show

with frame.page("Generated answers", series=False) as selection:
    options = parts.choose(selection)
    result = None if options is None else parts.ranked(selection, options)
    if result is None:
        parts.without_ranks(selection)
    else:
        parts.board(result)
    parts.tabs(selection, result)
    if result is not None:
        show.notes(result.notes, expanded=False)
