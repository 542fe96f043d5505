"""`examboard review agreement`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.asked import Asked
from exam_core.cli import common as cli
from exam_core.cli.options import takes_declared
from exam_core.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.analysis.reviews.agreement import ReviewAgreement

SHOWN = ("agreement", "kappa", "alpha", "good")
"""Coefficients that a table lists; every other form has them all."""


@dataclass
class Agreeing:
    """Whom reviewers are compared with, how that is cut, and what is listed."""

    collection: cli.Collection
    bank: cli.Bank = None
    grader: cli.Grader = None
    tau: cli.Tau = None
    label_rank: cli.LabelRank = 1
    label_map: cli.LabelMap = None
    relevant_from: cli.RelevantFrom = 2
    judgments: Annotated[str | None, typer.Option(help="Human judgments to compare with; official if there are.")] = (
        None
    )
    epsilon: Annotated[
        float,
        typer.Option(help="What the test of replacing gives the grader: 0.2 (experts), 0.15 or 0.1 (crowds)."),
    ] = 0.2
    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's agreement with the grader too.")] = False
    per_question: Annotated[
        bool, typer.Option("--per-question", help="Each question's agreement, or how many call it good.")
    ] = False


@takes_declared()
def agreement(options: Agreeing, form: cli.FormatOption = cli.Form.TABLE) -> None:
    """Reviewers against the grader, each other and judgments: kappa and alpha with intervals that know the draw.

    An item weighs the inverse of the probability with which it was drawn. A table has kappa, alpha and the share that
    agrees; JSON and CSV have weighted kappas and alphas of the grades, too, and JSON the confusion, anchoring (who saw
    the grader's answer first) and the alternative annotator test: may the grader replace a reviewer?

    Example: examboard review agreement dl19 --bank genq --tau 4 --relevant-from 2
    """
    from exam_core.analysis.reviews.agreement import choose_agreement, review_agreement
    from exam_core.reports.answers import review_agreement_answer
    from exam_core.store.reviews import reviews_of

    if options.per_query and options.per_question and form is not cli.Form.JSON:
        raise UsageError("--per-query and --per-question: choose one of them, or --format json, which has both.")
    if not 0 <= options.epsilon <= 1:
        raise UsageError(f"--epsilon {options.epsilon}: choose 0 to 1.")
    store = cli.open_store()
    snapshot = store.snapshot(options.collection)
    named = {name: getattr(options, name) for name in ("bank", "grader", "tau", "label_rank", "label_map")}
    choice = choose_agreement(snapshot, Asked(**named, relevant_from=options.relevant_from), options.judgments)
    found = review_agreement(snapshot, reviews_of(store, snapshot), **choice._asdict(), epsilon=options.epsilon)
    listed = {"per_query": options.per_query, "per_question": options.per_question}
    answer = review_agreement_answer(found, collection=options.collection, **listed)
    cli.print_object(answer, _rows(found, form, options), form, footer=_lines(found))


def _rows(found: ReviewAgreement, form: cli.Form, options: Agreeing) -> pd.DataFrame:
    """What is listed where not all of it can be."""
    if options.per_query:
        return found.per_query
    if options.per_question:
        return found.per_question
    return found.rows if form is cli.Form.CSV else found.rows[found.rows["measure"].isin(SHOWN)]


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
