"""Runs by a measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.asked import Ranking
from exam_core.declared import Field


@dataclass(frozen=True, kw_only=True)
class Options(Ranking):
    """Which runs are ranked by what, and whether reviews correct their scores."""

    corrected: Annotated[bool, Field("As humans would grade: corrected by reviews, with 95% intervals.")] = False


@analysis("leaderboard")
def answer(subject: Subject, options: Options) -> Answer:
    """Runs by a measure: mean, standard error, re-normalised, rank, and the reference's rank.

    Example: examboard leaderboard dl19 --bank genq --measure Cover@20 --tau 3
    """
    import pandas as pd

    from exam_core.analysis.columns import TAU
    from exam_core.analysis.evaluation.leaderboard import ROWS
    from exam_core.analysis.reviews.boards import corrected_boards
    from exam_core.analysis.reviews.corrected import ROWS as CORRECTED_ROWS
    from exam_core.answers import drawing
    from exam_core.reports.answers import (
        CORRECTED,
        corrected_answer,
        leaderboard_answer,
        shown_rows,
        with_corrected,
    )
    from exam_core.reports.boards import board_lines, corrected_lines
    from exam_core.store.reviews import reviews_of

    held, (asked, taus) = figures(subject, options), several(subject, options)
    boards = held.boards(asked, taus)
    answers, frames = [leaderboard_answer(board) for board in boards], [ROWS.of(board.rows) for board in boards]
    lines, table, more = [board_lines(board) for board in boards], ROWS.and_also(TAU), []
    if options.corrected:
        by_reviews = corrected_boards(held, asked, taus, reviews_of(subject.store, held.snapshot))
        answers = [corrected_answer(*both) for both in zip(answers, by_reviews, strict=True)]
        frames = [with_corrected(*both) for both in zip(frames, by_reviews, strict=True)]
        more = [line for one in by_reviews for line in corrected_lines(one)]
        also = (CORRECTED_ROWS[name] for name in CORRECTED if name in CORRECTED_ROWS.by_name)
        rank = replace(CORRECTED_ROWS["rank"], name="corrected_rank", label="Corrected rank")
        table = table.and_also(*also, rank)
    short = [shown_rows(frame) for frame in frames]
    if len(boards) > 1:
        frames, short = (
            [frame.assign(tau=board.tau) for frame, board in zip(some, boards, strict=True)] for some in (frames, short)
        )
    first, footer = boards[0], [line for some in lines for line in some]
    return Answer(
        f"{first.collection} {first.measure} at every tau" if taus else f"{first.collection} {first.title}",
        described(pd.concat(frames, ignore_index=True), table),
        [*(footer if taus else footer[1:]), *more],
        told=answers if taus else answers[0],
        draw=lambda: drawing.boards({board.title: board for board in boards}),
        short=pd.concat(short, ignore_index=True),
        footer=[*footer, *more],
    )
