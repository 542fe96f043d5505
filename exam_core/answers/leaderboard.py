"""Runs by a measure."""

from __future__ import annotations

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.request import RankingAsked


@analysis("leaderboard")
def answer(subject: Subject, options: RankingAsked) -> Answer:
    """Runs by a measure: mean, standard error, re-normalised score, rank, and rank in the reference.

    Example: examboard leaderboard demo --bank open --measure Cover@20 --tau 3
    """
    import pandas as pd

    from exam_core.analysis.leaderboard import ROWS
    from exam_core.analysis.shared_columns import TAU
    from exam_core.answers import drawing
    from exam_core.reports.board_lines import board_lines
    from exam_core.reports.json_objects import leaderboard_answer, shown_rows

    contents, (request, taus) = figures(subject, options), several(subject, options)
    boards = contents.boards(request, taus)
    answers, frames = [leaderboard_answer(board) for board in boards], [ROWS.of(board.rows) for board in boards]
    lines = [board_lines(board) for board in boards]
    short = [shown_rows(frame) for frame in frames]
    if len(boards) > 1:
        frames, short = (
            [frame.assign(tau=board.tau) for frame, board in zip(some, boards, strict=True)] for some in (frames, short)
        )
    first, footer = boards[0], [line for some in lines for line in some]
    return Answer(
        f"{first.collection} {first.measure} at every tau" if taus else f"{first.collection} {first.title}",
        described(pd.concat(frames, ignore_index=True), ROWS.and_also(TAU)),
        footer if taus else footer[1:],
        text=answers if taus else answers[0],
        draw=lambda: drawing.boards({board.title: board for board in boards}),
        short=pd.concat(short, ignore_index=True),
        footer=footer,
    )
