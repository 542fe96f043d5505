"""Compare A | B: leaderboards, runs, all pairs of runs, or a leaderboard with and without some questions."""

from pages.compare import two_sides
from pages.shared import frame, show

with frame.page("Compare") as selection:
    show.choice(selection)
    if selection.series:
        two_sides.draw(selection)
