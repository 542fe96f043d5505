"""What reviews add to analyses of the core: a leaderboard as humans would grade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from exam_core.answers.analysis import Added, Subject
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.asked import RankingAsked
from exam_core.declared import Field
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.wings.reviews.analysis.corrected import Corrected

CORRECTED = ("corrected", "corrected_low", "corrected_high", "all_low", "all_high", "shrunk", "corrected_rank")


@dataclass(frozen=True, kw_only=True)
class CorrectedOptions(RankingAsked):
    """Whether reviews correct the scores."""

    corrected: Annotated[bool, Field("As humans would grade: corrected by reviews, with 95% intervals.")] = False


def corrected(subject: Subject, options: CorrectedOptions, found: Answer) -> Answer:
    """A leaderboard's answer with what humans would have found beside each run's score, where that is asked for."""
    if not options.corrected:
        return found
    import pandas as pd

    from exam_core.analysis.evaluation.leaderboard import ROWS
    from exam_core.analysis.shared_columns import TAU
    from exam_core.reports.json_objects import shown_rows
    from exam_core.wings.reviews.analysis.corrected import ROWS as CORRECTED_ROWS
    from exam_core.wings.reviews.analysis.corrected import corrected_boards
    from exam_core.wings.reviews.store.review_records import reviews_of

    held, (asked, taus) = figures(subject, options), several(subject, options)
    by_reviews = corrected_boards(held, asked, taus, reviews_of(subject.store, held.snapshot))
    before = found.told if taus else [found.told]
    answers = [_beside(*both) for both in zip(before, by_reviews, strict=True)]
    frames = [answer["rows"] for answer in answers]
    short = [shown_rows(frame) for frame in frames]
    if len(answers) > 1:
        frames, short = (
            [frame.assign(tau=answer["tau"]) for frame, answer in zip(some, answers, strict=True)]
            for some in (frames, short)
        )
    also = (CORRECTED_ROWS[name] for name in CORRECTED if name in CORRECTED_ROWS.by_name)
    rank = replace(CORRECTED_ROWS["rank"], name="corrected_rank", label="Corrected rank")
    more = []
    for board in by_reviews:
        more += [f"As humans would grade: {corrected_sentence(board)}", *board.notes]
    return Answer(
        found.title,
        described(pd.concat(frames, ignore_index=True), ROWS.and_also(TAU).and_also(*also, rank)),
        [*found.notes, *more],
        told=answers if taus else answers[0],
        draw=found.figure,
        short=pd.concat(short, ignore_index=True),
        footer=[*found.footer, *more],
    )


def _beside(answer: dict[str, Any], found: Corrected) -> dict[str, Any]:
    """A leaderboard's JSON object with what humans would have found in its rows, and of which reviews."""
    beside = found.rows.rename(columns={"rank": "corrected_rank"})[["run_id", *CORRECTED]]
    rows = answer["rows"].merge(beside, on="run_id", how="left", validate="one_to_one")
    return answer | {"rows": rows, "reviews": found.as_object(), "notes": [*answer["notes"], *found.notes]}


def corrected_sentence(found: Corrected) -> str:
    """Who reviewed how much, how far the grader is off, and how well the corrected means are known."""
    order = "the reviews'" if found.settled else "the grader's"
    off = f"{abs(found.level):.3f} too {'high' if found.level < 0 else 'low'}"
    return (
        f"{counted({'passages': found.n})} reviewed by {counted({'reviewers': found.reviewers})} ({found.design}). The "
        f"grader is {off} on average; corrected means are known to ± {found.half_width:.3f}, all of them together to "
        f"± {found.half_width_all:.3f}. The order is {order}."
    )


ADDED = (Added("leaderboard", CorrectedOptions, corrected),)
