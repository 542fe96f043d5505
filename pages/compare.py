"""Compare A | B: two leaderboards of the same runs, or two runs of one leaderboard."""

from exam_core.analysis.run_pair import printed_run_pair, printed_runs, run_pair
from exam_core.analysis.standing import standing
from exam_core.analysis.versus import printed_versus, versus
from pages.parts import compare as parts
from pages.shared import data, frame, show

with frame.page("Compare") as chosen:
    show.choice(chosen)
    if not chosen.series:
        pass
    elif parts.asks_for_runs():
        if chosen.printed:
            runs = data.ask(printed_runs, chosen.snapshot, chosen.series)
            if pair := parts.pick_pair(runs):
                parts.printed_pair(data.ask(printed_run_pair, chosen.snapshot, chosen.series, *pair), *pair)
        else:
            choice = chosen.of(parts.mode(chosen))
            rows = data.ask(standing, chosen.snapshot, choice)
            if pair := parts.pick_pair(rows["run_id"].tolist()):
                parts.pair(data.ask(run_pair, chosen.snapshot, choice, *pair), key="pair")
    elif chosen.printed:
        found = data.ask(printed_versus, chosen.snapshot, *parts.columns(chosen))
        parts.boards(found)
        parts.flips(found)
        parts.rows(found)
    else:
        choices = parts.configurations(chosen)
        found = data.ask(versus, chosen.snapshot, *choices)
        parts.boards(found)
        if flip := parts.flips(found):
            for choice, side, area in zip(choices, "ab", parts.two_areas(), strict=True):
                with area:
                    parts.pair(data.ask(run_pair, chosen.snapshot, choice, *flip), key=side)
        parts.rows(found)
