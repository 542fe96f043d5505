"""Reviewers against the grader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from exam_core import asked
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.asked import Asked
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.results import attributes

if TYPE_CHECKING:
    from exam_core.wings.reviews.analysis.agreement import ReviewAgreement

SHOWN = ("agreement", "kappa", "alpha", "good")
"""Coefficients that a table lists; every other form has them all."""
ASKED = ("bank", "grader", "judgments", "tau", "relevant_from", "label_rank", "label_map", "epsilon")


@dataclass(frozen=True, kw_only=True)
class ReviewAgreementOptions:
    """Whom reviewers are compared with, how that is cut, and what is listed."""

    bank: asked.Bank = None
    grader: asked.Grader = None
    tau: asked.Tau = None
    label_rank: asked.LabelRank = 1
    label_map: asked.LabelMap = None
    relevant_from: asked.RelevantFrom = asked.RELEVANT_FROM
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
    from exam_core.wings.reviews.analysis import agreement
    from exam_core.wings.reviews.store.review_records import reviews_of

    if options.per_query and options.per_question:
        raise UsageError("--per-query and --per-question: choose one of them.")
    if not 0 <= options.epsilon <= 1:
        raise UsageError(f"--epsilon {options.epsilon}: choose 0 to 1.")
    snapshot = subject.snapshot
    named = {name: getattr(options, name) for name in ("bank", "grader", "tau", "label_rank", "label_map")}
    wanted = Asked(**named, relevant_from=options.relevant_from)
    choice = agreement.choose_agreement(snapshot, wanted, options.judgments)
    reviews = reviews_of(subject.store, snapshot)
    found = agreement.review_agreement(snapshot, reviews, **choice._asdict(), epsilon=options.epsilon)
    told = {"collection": snapshot.collection, **attributes(found, *ASKED, "reviewers", "n", "rows", "confusion")}
    told |= {"replacing": {"tests": found.tests, "rows": found.replacing}}
    told |= {"notes": found.notes} | listed(found, per_query=options.per_query, per_question=options.per_question)
    tables = {
        "per query": described(found.per_query, agreement.PER_QUERY),
        "per question": described(found.per_question, agreement.PER_QUESTION),
    }
    chosen = "per query" if options.per_query else "per question" if options.per_question else ""
    rows = tables.get(chosen, described(found.rows, agreement.ROWS))
    short = rows if chosen else rows[rows["measure"].isin(SHOWN)]
    title = f"{snapshot.collection}: agreement of reviewers"
    return Answer(title, rows, _lines(found), tables=tables, told=told, short=short)


def _lines(found: ReviewAgreement) -> list[str]:
    """The test of replacing in a line for each task, and the notes."""
    lines = []
    for test in found.tests.itertuples():
        if test.reviewers:
            verdict = "may replace a reviewer" if test.passed else "may not replace a reviewer"
            lines.append(
                f"Alternative annotator test ({test.task}, epsilon {test.epsilon:g}, {test.reviewers} reviewers): "
                f"winning rate {test.winning_rate:.2f}, advantage {test.advantage:.2f}: the grader {verdict}."
            )
    return [*lines, *found.notes]
