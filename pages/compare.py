"""Compare A | B: two leaderboards of the same runs, or two runs of one leaderboard."""

from pages.parts import compare
from pages.shared import frame, show

with frame.page("Compare") as chosen:
    show.choice(chosen)
    if chosen.series:
        of = compare.RUNS if compare.asks_for_runs() else compare.LEADERBOARDS
        of[chosen.basis](chosen)
