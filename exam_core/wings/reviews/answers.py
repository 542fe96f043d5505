"""The analysis `review agreement`, and the corrected leaderboard that reviews add to `leaderboard`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from exam_core import request as fields
from exam_core.answers.analysis import Added, Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import figures, several
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.request import RankingAsked, Request
from exam_core.results import attributes
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.wings.reviews.agreement import ReviewAgreement
    from exam_core.wings.reviews.corrected import Corrected

CORRECTED = ("corrected", "corrected_low", "corrected_high", "all_low", "all_high", "shrunk", "corrected_rank")


@dataclass(frozen=True, kw_only=True)
class CorrectedOptions(RankingAsked):
    """Whether the scores are corrected by reviews."""

    corrected: Annotated[bool, Field("As humans would grade: corrected by reviews, with 95% intervals.")] = False


def corrected(subject: Subject, options: CorrectedOptions, result: Answer) -> Answer:
    """Return a leaderboard's answer with corrected scores beside each run's, if the option asks for these."""
    if not options.corrected:
        return result
    import pandas as pd

    from exam_core.analysis.leaderboard import ROWS
    from exam_core.analysis.shared_columns import TAU
    from exam_core.reports.json_objects import shown_rows
    from exam_core.wings.reviews.corrected import ROWS as CORRECTED_ROWS
    from exam_core.wings.reviews.corrected import corrected_boards
    from exam_core.wings.reviews.records import reviews_of

    contents, (request, taus) = figures(subject, options), several(subject, options)
    by_reviews = corrected_boards(contents, request, taus, reviews_of(subject.store, contents.snapshot))
    before = result.told if taus else [result.told]
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
        result.title,
        described(pd.concat(frames, ignore_index=True), ROWS.and_also(TAU).and_also(*also, rank)),
        [*result.notes, *more],
        text=answers if taus else answers[0],
        draw=result.figure,
        short=pd.concat(short, ignore_index=True),
        footer=[*result.footer, *more],
    )


def _beside(answer: dict[str, Any], corrected: Corrected) -> dict[str, Any]:
    """Return a leaderboard's JSON object with corrected scores in its rows, and facts on the reviews."""
    beside = corrected.rows.rename(columns={"rank": "corrected_rank"})[["run_id", *CORRECTED]]
    rows = answer["rows"].merge(beside, on="run_id", how="left", validate="one_to_one")
    return answer | {"rows": rows, "reviews": corrected.as_object(), "notes": [*answer["notes"], *corrected.notes]}


def corrected_sentence(corrected: Corrected) -> str:
    """Say how much was reviewed by how many, how far the grader is off, and how well the corrected means are known."""
    order = "the reviews'" if corrected.settled else "the grader's"
    off = f"{abs(corrected.level):.3f} too {'high' if corrected.level < 0 else 'low'}"
    return (
        f"{counted({'passages': corrected.n})} reviewed by {counted({'reviewers': corrected.reviewers})} "
        f"({corrected.design}). The grader is {off} on average; corrected means are known to ± "
        f"{corrected.half_width:.3f}, all of them together to ± {corrected.half_width_all:.3f}. The order is {order}."
    )


ADDED = (Added("leaderboard", CorrectedOptions, corrected),)
SHOWN = ("agreement", "kappa", "alpha", "good")
"""Coefficients that a table lists; every other form has them all."""
ASKED = ("bank", "grader", "judgments", "tau", "relevant_from", "label_rank", "label_map", "epsilon")


@dataclass(frozen=True, kw_only=True)
class ReviewAgreementOptions:
    """With which grader and judgments reviewers are compared, from which grade on, and which rows are listed."""

    bank: fields.Bank = None
    grader: fields.Grader = None
    tau: fields.Tau = None
    label_rank: fields.LabelRank = 1
    label_map: fields.LabelMap = None
    relevant_from: fields.RelevantFrom = fields.RELEVANT_FROM
    judgments: Annotated[str | None, Field("Human judgments to compare with; official if there are any.")] = None
    epsilon: Annotated[
        float,
        Field(
            "Advantage of the grader in the test of replacing a reviewer: 0.2 (experts), 0.15 (skilled) or 0.1 "
            "(crowds)."
        ),
    ] = 0.2
    per_query: Annotated[bool, Field("List each query's agreement with the grader, too.")] = False
    per_question: Annotated[bool, Field("List each question's agreement, or how many call it good.")] = False


@analysis("review agreement", tables="each query's and each question's agreement")
def answer(subject: Subject, options: ReviewAgreementOptions) -> Answer:
    """Agreement of reviewers with the grader, each other and judgments: kappa and alpha, with intervals.

    Items are weighted by inverse sampling probability. A table has kappa, alpha and the share that agrees. JSON and
    CSV add weighted kappas and alphas of the grades. JSON adds the confusion and the alternative
    annotator test: may the grader replace a reviewer?

    Example: examboard review agreement demo --bank open --tau 3 --relevant-from 1
    """
    from exam_core.reports.json_objects import listed
    from exam_core.wings.reviews import agreement
    from exam_core.wings.reviews.records import reviews_of

    if options.per_query and options.per_question:
        raise UsageError("--per-query and --per-question: choose one of them.")
    if not 0 <= options.epsilon <= 1:
        raise UsageError(f"--epsilon {options.epsilon}: choose 0 to 1.")
    snapshot = subject.snapshot
    named = {name: getattr(options, name) for name in ("bank", "grader", "tau", "label_rank", "label_map")}
    wanted = Request(**named, relevant_from=options.relevant_from)
    choice = agreement.choose_agreement(snapshot, wanted, options.judgments)
    reviews = reviews_of(subject.store, snapshot)
    result = agreement.review_agreement(snapshot, reviews, **choice._asdict(), epsilon=options.epsilon)
    record = {"collection": snapshot.collection, **attributes(result, *ASKED, "reviewers", "n", "rows", "confusion")}
    record |= {"replacing": {"tests": result.tests, "rows": result.replacing}}
    record |= {"notes": result.notes} | listed(result, per_query=options.per_query, per_question=options.per_question)
    tables = {
        "per query": described(result.per_query, agreement.PER_QUERY),
        "per question": described(result.per_question, agreement.PER_QUESTION),
    }
    pick = "per query" if options.per_query else "per question" if options.per_question else ""
    rows = tables.get(pick, described(result.rows, agreement.ROWS))
    short = rows if pick else rows[rows["measure"].isin(SHOWN)]
    title = f"{snapshot.collection}: agreement of reviewers"
    return Answer(title, rows, _lines(result), tables=tables, text=record, short=short)


def _lines(review_agreement: ReviewAgreement) -> list[str]:
    """Return a line of the alternative annotator test for each task, and the notes."""
    lines = []
    for test in review_agreement.tests.itertuples():
        if test.reviewers:
            verdict = "may replace a reviewer" if test.passed else "may not replace a reviewer"
            lines.append(
                f"Alternative annotator test ({test.task}, epsilon {test.epsilon:g}, {test.reviewers} reviewers): "
                f"winning rate {test.winning_rate:.2f}, advantage {test.advantage:.2f}: the grader {verdict}."
            )
    return [*lines, *review_agreement.notes]
