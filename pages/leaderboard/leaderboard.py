"""Leaderboard: runs by several grading modes, against a reference (EXAM++, figure 2)."""

from exam_core.analysis.leaderboard import run_passages, run_queries
from pages.leaderboard import board as parts
from pages.parts import next_steps, upload
from pages.shared import data, frame, show, steps, wings

with frame.page("Leaderboard") as selection:
    upload.announce(board=False)
    comparison = data.compare(selection)
    parts.headlines(comparison, selection)
    show.problems(comparison.problems)
    steps.without_questions(comparison.unasked, selection)
    parts.stands(comparison, selection)
    if comparison.boards:
        # The chart comes first: it is what the eye waits for when tau moves.
        clicked = parts.chart(comparison, selection)
        if selection.by_judgments:
            next_steps.draw(selection)
        series = parts.series(comparison, selection)
        choice = selection.computed(series)
        rows = selection.shown(data.ask(selection.figures.standing, series, selection.request))
        row = parts.scores(rows, comparison, series, selection)
        if choice is None:
            show.text(parts.NO_QUERIES)
        elif run := parts.pick_run(rows, row, clicked, parts.picked_run(comparison)):
            if selection.request.groups == "no":
                wings.draw("draw_run", selection, choice, run)
            queries = data.ask(run_queries, selection.snapshot, choice, run)
            query = parts.queries(queries, run, choice)
            if query and run not in selection.about["systems"]:
                show.text(parts.A_GROUP.format(run))
            elif query and choice.of_grades:
                parts.passages(data.ask(run_passages, selection.snapshot, choice, run, query), run, query)
            elif query:
                wings.draw("draw_unlabelled", choice, run, query)
        show.notes(parts.notes(comparison, selection))
        parts.hold(comparison, selection)
