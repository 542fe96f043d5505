"""May the grader replace a reviewer? The alternative annotator test on the items that several people answered."""

from __future__ import annotations

from typing import Any

import numpy as np

from exam_core.results import ResultTable, count, decimal, flag, text
from exam_core.wings.reviews.analysis.compared_reviews import MOST_REVIEWERS, ComparedReviews
from exam_core.wings.reviews.numbers.alternative import LEAST_ITEMS, Alignment, alternative_annotator

_SOURCE = "Calderon, Reichart & Dror 2025, section 3"
REPLACING = ResultTable(
    "review agreement: reviewers",
    "The alternative annotator test, reviewer by reviewer; a reviewer with too few shared items is not tested",
    text("task", "Task"),
    text("reviewer", "Reviewer"),
    count("n", "Shared items", "Items that the grader and another reviewer answered, too.", "items"),
    decimal(
        "model",
        "Grader as good",
        "Share of these items on which the grader fits the other reviewers at least as well as this reviewer does.",
        "share of items",
        source=_SOURCE,
    ),
    decimal(
        "human",
        "Reviewer as good",
        "Share of these items on which this reviewer fits the others at least as well.",
        "share of items",
    ),
    decimal(
        "p",
        "p",
        "One-sided p (paired t-test) of the hypothesis that the grader is worse than this reviewer by epsilon or more.",
    ),
    flag(
        "won",
        "Grader wins",
        "Yes if this hypothesis is rejected, at a false discovery rate of 5% (Benjamini-Yekutieli).",
    ),
)
TESTS = ResultTable(
    "review agreement: test",
    "The alternative annotator test of a task",
    text("task", "Task"),
    text("alignment", "Alignment", "accuracy: the same yes or no; rmse: the distance of grades."),
    decimal("epsilon", "epsilon", "Advantage given to the grader: 0.2 against experts, 0.15 skilled, 0.1 crowds."),
    count("reviewers", "Reviewers tested", f"Reviewers with at least {LEAST_ITEMS} shared items.", "reviewers"),
    decimal(
        "winning_rate",
        "Winning rate",
        "Share of the tested reviewers that the grader wins against.",
        "share of reviewers",
    ),
    decimal(
        "advantage",
        "Advantage probability",
        "Mean over the tested reviewers of the share on which the grader is as good.",
        "share of items",
    ),
    flag("passed", "Passed", "Yes if the winning rate is at least 0.5."),
)


def replacing_of(found: ComparedReviews, epsilon: float) -> tuple[list[tuple[Any, ...]], tuple[Any, ...] | None]:
    """Rows of `REPLACING` of a task, and its row of `TESTS`; none where fewer than two answered what was graded."""
    known = found.known("model")
    people = known.reviewers[:MOST_REVIEWERS]
    if len(people) < 2:
        return [], None
    known = known.only(known.rows["reviewer"].isin(people))
    _, item = np.unique(known.rows["item"], return_inverse=True)
    graded = found.task == "grade"
    of_people, of_model = (
        (known.values(name) if graded else known.positive(name).astype(float)) for name in ("answer", "model")
    )
    answers = np.full((len(people), int(item.max()) + 1), np.nan)
    answers[known.rows["reviewer"].map({name: place for place, name in enumerate(people)}), item] = of_people
    model = np.full(answers.shape[1], np.nan)
    model[item] = of_model
    alignment: Alignment = "rmse" if graded else "accuracy"
    told = alternative_annotator(answers, model, alignment, epsilon=epsilon)
    if not told.n.any():
        return [], None
    columns = (told.n.tolist(), told.model, told.human, told.p, told.won.tolist())
    rows = [(found.task, name, *values) for name, *values in zip(people, *columns, strict=True)]
    tested = int((~np.isnan(told.p)).sum())
    return rows, (found.task, alignment, epsilon, tested, told.winning_rate, told.advantage, told.passed)
