"""Home: what Examboard does by an example, a small leaderboard, the collection at a glance, where to begin."""

from pages.home import glance as parts
from pages.parts import next_steps, upload
from pages.shared import data, frame, help_texts, show

with frame.page("Home", heading=help_texts.HOME, empty=parts.begin, series=False) as chosen:
    if not upload.has_files():
        show.text(help_texts.WELCOME)
        parts.cards()
    upload.draw(chosen.snapshot.collection, to_board=True)
    show.unreadable(chosen)
    strip, (left, right) = parts.places()
    with left:
        parts.tau(chosen)
    found = data.compare(chosen)
    with strip:
        parts.example(found, chosen)
    with left:
        parts.board(found, chosen)
    with right:
        lines = parts.known(found, chosen)
    with lines:
        parts.flagged(chosen)
    next_steps.draw(chosen)
