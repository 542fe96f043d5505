"""Leaderboard: runs by several grading modes, against a reference (EXAM++, figure 2)."""

from exam_core.analysis.leaderboard import run_passages, run_queries
from pages.leaderboard import board as parts
from pages.parts import next_steps, upload
from pages.shared import data, frame, show, unasked, wings

with frame.page("Leaderboard") as chosen:
    upload.announce(board=False)
    found = data.compare(chosen)
    parts.headlines(found, chosen)
    show.problems(found.problems)
    unasked.draw(found.unasked, chosen)
    parts.stands(found, chosen)
    if found.boards and not wings.draw("draw_board", found, chosen):
        # The chart comes first: it is what the eye waits for when tau moves.
        clicked = parts.chart(found, chosen)
        if chosen.by_judgments:
            next_steps.draw(chosen)
        series = parts.series(found, chosen)
        choice = chosen.computed(series)
        rows = chosen.shown(data.ask(chosen.figures.standing, series, chosen.request))
        row = parts.scores(rows, found, series, chosen)
        if choice is None:
            show.text(parts.NO_QUERIES)
        elif run := parts.pick_run(rows, row, clicked, parts.picked_run(found)):
            wings.draw("draw_run", chosen, choice, run)
            queries = data.ask(run_queries, chosen.snapshot, choice, run)
            query = parts.queries(queries, run, choice)
            if query and choice.of_grades:
                parts.passages(data.ask(run_passages, chosen.snapshot, choice, run, query), run, query)
            elif query:
                wings.draw("draw_unlabelled", choice, run, query)
        show.notes(parts.notes(found, chosen))
        parts.hold(found, chosen)
