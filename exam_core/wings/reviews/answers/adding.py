"""What reviews add to analyses of the core: a leaderboard as humans would grade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from exam_core.answers.analysis import Added, Subject
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.asked import RankingAsked
from exam_core.declared import Field


@dataclass(frozen=True, kw_only=True)
class Options(RankingAsked):
    """Whether reviews correct the scores."""

    corrected: Annotated[bool, Field("As humans would grade: corrected by reviews, with 95% intervals.")] = False


def corrected(subject: Subject, options: Options, found: Answer) -> Answer:
    """A leaderboard's answer with what humans would have found beside each run's score, where that is asked for."""
    if not options.corrected:
        return found
    import pandas as pd

    from exam_core.analysis.evaluation.leaderboard import ROWS
    from exam_core.analysis.shared_columns import TAU
    from exam_core.reports.json_objects import shown_rows
    from exam_core.wings.reviews.analysis.corrected import ROWS as CORRECTED_ROWS
    from exam_core.wings.reviews.analysis.corrected import corrected_boards
    from exam_core.wings.reviews.reports.review_results import CORRECTED, corrected_answer, corrected_lines
    from exam_core.wings.reviews.store.review_records import reviews_of

    held, (asked, taus) = figures(subject, options), several(subject, options)
    by_reviews = corrected_boards(held, asked, taus, reviews_of(subject.store, held.snapshot))
    before = found.told if taus else [found.told]
    answers = [corrected_answer(*both) for both in zip(before, by_reviews, strict=True)]
    frames = [answer["rows"] for answer in answers]
    short = [shown_rows(frame) for frame in frames]
    if len(answers) > 1:
        frames, short = (
            [frame.assign(tau=answer["tau"]) for frame, answer in zip(some, answers, strict=True)]
            for some in (frames, short)
        )
    also = (CORRECTED_ROWS[name] for name in CORRECTED if name in CORRECTED_ROWS.by_name)
    rank = replace(CORRECTED_ROWS["rank"], name="corrected_rank", label="Corrected rank")
    more = [line for one in by_reviews for line in corrected_lines(one)]
    return Answer(
        found.title,
        described(pd.concat(frames, ignore_index=True), ROWS.and_also(TAU).and_also(*also, rank)),
        [*found.notes, *more],
        told=answers if taus else answers[0],
        draw=found.figure,
        short=pd.concat(short, ignore_index=True),
        footer=[*found.footer, *more],
    )


ADDED = (Added("leaderboard", Options, corrected),)
