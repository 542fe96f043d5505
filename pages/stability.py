"""Stability: would other queries or other questions have given the same leaderboard?"""

from pages.parts import stability as parts
from pages.shared import frame, show

with frame.page("Stability") as chosen:
    show.choice(chosen)
    mode = show.mode(chosen)
    view = parts.view(chosen)
    parts.VIEWS[view](chosen, mode)
