"""Agreement of reviewers with each other and with the grader: coefficients, intervals, and remarks on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from exam_core.analysis.agreement_matrices import MATRIX
from exam_core.analysis.choice import TAUS, LabelRule
from exam_core.analysis.choosing import check_range, check_tau, choose_labelling, choose_tau, no_judgments
from exam_core.analysis.grade_scales import about_scale
from exam_core.analysis.shared_columns import QUERY, QUESTION
from exam_core.errors import UsageError
from exam_core.numbers.annotator_agreement import cohen_kappa, krippendorff_alpha, weighted_kappa
from exam_core.numbers.arrays import Floats, Ints
from exam_core.request import Request
from exam_core.results import ResultTable, count, decimal, text
from exam_core.results import share as percent
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import LARGEST_GRADE, OFFICIAL
from exam_core.wings.reviews.compared_reviews import (
    EPSILON,
    LEAST_ITEMS,
    MOST_REVIEWERS,
    REPLACING,
    TESTS,
    ComparedReviews,
    Cuts,
    compare_reviews,
    largest,
    replacing_of,
    sample_in,
)
from exam_core.wings.reviews.estimates import (
    UNKNOWN,
    Estimate,
    Sample,
    coincidences,
    estimate,
    estimate_kappa,
    share,
    table_of,
)
from exam_core.wings.reviews.records import Reviews

LARGEST_SPAN = 16
"""Largest difference of values up to which they are compared one by one."""
OF_CUTS: dict[str, Callable[[Floats, Sample], Estimate]] = {
    "kappa": estimate_kappa,
    "alpha": partial(estimate, partial(krippendorff_alpha, level="nominal")),
}
"""Coefficients of yes and no, by the cuts."""
OF_VALUES: dict[str, Callable[..., float]] = {
    "multiclass_kappa": cohen_kappa,
    "linear_kappa": partial(weighted_kappa, weights="linear"),
    "quadratic_kappa": partial(weighted_kappa, weights="quadratic"),
    "alpha_ordinal": partial(krippendorff_alpha, level="ordinal"),
    "alpha_interval": partial(krippendorff_alpha, level="interval"),
}
"""Coefficients of the values themselves, as numbers on one scale."""
NAMES = {
    "agreement": "Share that agrees",
    "kappa": "Cohen's kappa",
    "alpha": "Krippendorff's alpha",
    "multiclass_kappa": "Kappa, all classes",
    "linear_kappa": "Linear kappa",
    "quadratic_kappa": "Quadratic kappa",
    "alpha_ordinal": "Alpha, ordinal",
    "alpha_interval": "Alpha, interval",
    "good": "Share good",
}
"""Every coefficient in words, in the order of tables."""


def of_two(compared_reviews: ComparedReviews, first: str, second: str) -> Iterator[tuple[str, Estimate]]:
    """Yield every coefficient of two columns, in order; of the rows that have both."""
    both = compared_reviews.known(first).known(second)
    sample = both.sample
    if second == "model" and not compared_reviews.reached:
        yield from ((name, UNKNOWN._replace(n=both.rows["item"].nunique())) for name in ("agreement", *OF_CUTS))
    else:
        rows, columns = both.positive(first).astype(np.int64), both.positive(second).astype(np.int64)
        yield "agreement", share(rows == columns, sample)
        tables = table_of(rows, columns, 2)
        yield from ((name, estimated(tables, sample)) for name, estimated in OF_CUTS.items())
    if compared_reviews.task == "question":
        return
    values = codes(both.values(first), both.values(second))
    if values is not None:
        tables = table_of(values[0], values[1], int(values.max(initial=0)) + 1)
        for name, statistic in OF_VALUES.items():
            yield name, estimate(statistic, tables, sample)


def of_all(compared_reviews: ComparedReviews) -> Iterator[tuple[str, Estimate]]:
    """Yield alpha of all reviewers together; each item must have answers of two or more of them."""
    newest = compared_reviews.only(~compared_reviews.rows.duplicated(["reviewer", "item"], keep="last"))
    _, item = np.unique(newest.rows["item"], return_inverse=True)
    # One row for each item, in order, with the weight of all of its rows.
    rows = compared_reviews.sample
    _, first, own = np.unique(rows.items, return_index=True, return_inverse=True)
    sample = Sample(np.arange(len(first)), np.bincount(own, rows.weights).astype(float), rows.chances[first])
    yield "alpha", OF_CUTS["alpha"](coincidences(_counts(item, newest.positive("answer"), 2)), sample)
    if compared_reviews.task != "question":
        answers = newest.values("answer").astype(np.int64)
        tables = coincidences(_counts(item, answers, int(answers.max()) + 1))
        for name in ("alpha_ordinal", "alpha_interval"):
            yield name, estimate(OF_VALUES[name], tables, sample)


def _counts(item: Ints, value: Any, size: int) -> Ints:
    """(items, size) how often each item has each value."""
    return np.bincount(item * size + value, minlength=(int(item.max()) + 1) * size).reshape(-1, size)


def codes(first: Floats, second: Floats) -> Ints | None:
    """(2, n) both as places from 0 on one scale; None where they are too far apart for one."""
    both = np.stack([first, second]).astype(np.int64)
    both -= both.min(initial=0) if both.size == 0 else both.min()
    return both if both.max(initial=0) <= LARGEST_SPAN else None


EVERYBODY = "all"
"""In the place of a reviewer's name: all reviewers."""
MOST_PAIRED = 12
"""Reviewers that are compared with each other: those with the most reviews."""
_TASK = text("task", "Task", "Task: relevance of a passage, its grade on a question, or whether a question is good.")
_N = count("n", "Items", "Number of different items behind the figure.", "items")
_REVIEWS = count(
    "reviews", "Reviews", "Number of answers behind the figure; several people may answer one item.", "reviews"
)
_AGREEMENT = decimal("agreement", "Share that agrees", "Items on which both say yes, or both no.", "share of items")
_KAPPA = decimal("kappa", "Cohen's kappa", "Kappa of yes and no; items are weighted by inverse sampling probability.")
ROWS = ResultTable(
    "review agreement: rows",
    "Coefficients of agreement of reviewers with the grader, with each other and with judgments; undefined is NaN",
    _TASK,
    text("reviewer", "Reviewer", "The reviewer; all: everybody, and people who answered one item share its weight."),
    text("compared", "Compared with", "grader, reviewer, reviewers (all of them, by alpha), judgments, or nobody."),
    text("other", "Name", "Name of the grader, of the other reviewer, or of the judgments."),
    text("measure", "Measure", f"One of {', '.join(NAMES)}."),
    decimal("estimate", "Estimate", "Estimate for all items from which the reviewed ones were drawn."),
    decimal(
        "low",
        "low",
        "Lower end of the 95% interval over samples of the items: Wilson's of shares, Fieller's and a score interval "
        "of kappa of yes and no, else by jackknife.",
    ),
    decimal("high", "high", "Upper end of the 95% interval."),
    _N,
    _REVIEWS,
    text("design", "Design", "Sampling of the items: by which samplers, or by hand."),
)
_PER = (
    _N,
    _REVIEWS,
    _AGREEMENT,
    decimal("agreement_low", "low (share)", "Lower end of the 95% interval of the share."),
    decimal("agreement_high", "high (share)", "Upper end of the 95% interval of the share."),
    _KAPPA,
    decimal("kappa_low", "low (kappa)", "Lower end of the 95% interval of kappa."),
    decimal("kappa_high", "high (kappa)", "Upper end of the 95% interval of kappa."),
)
PER_QUERY = ResultTable(
    "review agreement: per query", "Agreement of all reviewers with the grader, query by query", _TASK, QUERY, *_PER
)
PER_QUESTION = ResultTable(
    "review agreement: per question",
    "Agreement of all reviewers with the grader, question by question; or how many call a question good",
    _TASK,
    QUERY,
    QUESTION,
    *_PER,
    decimal("good", "Share good", "Share of those asked who call the question good.", "share of reviews"),
)
CONFUSION = ResultTable(
    "review agreement: confusion",
    "The grader's values against people's; largest first",
    _TASK,
    text("label", "Label", "The grader's label, or its grade."),
    text("answer", "Answer", "People's answer."),
    count("n", "Reviews", unit="reviews"),
    percent("share", "of all", "Estimated share of all items, weighed by inverse probability.", "share of items"),
    percent("of_label", "of the label", "Estimated share of the items with this label.", "share of items"),
    percent("of_answer", "of the answer", "Estimated share of the items with this human answer.", "share of items"),
)


@dataclass(frozen=True)
class ReviewAgreement:
    """Agreement of reviews with a grader and with each other; frames are as their tables are declared.

    `bank`, `grader` and `judgments` are None where reviewers are compared with none; `reviewers` are ordered by number
    of reviews; `n` is the number of reviews that count; `replacing` has a row for each reviewer, `tests` for each task.
    """

    tau: float
    relevant_from: int
    label_rank: int
    label_map: str | None
    bank: str | None
    grader: str | None
    judgments: str | None
    epsilon: float
    reviewers: list[str]
    n: int
    rows: pd.DataFrame
    per_query: pd.DataFrame
    per_question: pd.DataFrame
    confusion: pd.DataFrame
    replacing: pd.DataFrame
    tests: pd.DataFrame
    notes: list[str]

    def estimate(self, task: str, measure: str, compared: str = "grader") -> Any:
        """Return the row of everybody together; None where there is none."""
        here = {"task": task, "measure": measure, "compared": compared, "reviewer": EVERYBODY}
        frame = self.rows[(self.rows[list(here)] == list(here.values())).all(axis=1)]
        return next(frame.itertuples(index=False), None)


def review_agreement(
    snapshot: Snapshot,
    reviews: Reviews,
    labelling: LabelRule | None,
    *,
    tau: float,
    relevant_from: int,
    judgments: str | None = None,
    epsilon: float = EPSILON["expert"],
) -> ReviewAgreement:
    """Agreement of reviewers with a grader's labels and grades, with each other, and with judgments.

    A label or grade of at least tau is a yes, and so is an answer or judgment of at least `relevant_from`. Without a
    labelling or judgments nothing is compared with them. `epsilon` is the advantage that the alternative annotator test
    gives the grader.

    Raises UsageError where there are no such judgments, or the grader has no grades.
    """
    tasks = compare_reviews(snapshot, reviews, labelling, cuts=Cuts(tau, relevant_from), judgments=judgments)
    grading = labelling.grading if labelling else None
    grader = grading.grader if grading else None
    notes = [*reviews.damaged, *about_scale(snapshot, [grader] if grader else [])]
    rows = [row for task in tasks for row in _rows(task, grader, judgments)]
    tested = [replacing_of(task, epsilon) for task in tasks]
    return ReviewAgreement(
        tau=tau,
        relevant_from=relevant_from,
        label_rank=labelling.label_rank if labelling else 1,
        label_map=labelling.written_map if labelling else None,
        bank=str(grading.bank) if grading and grading.bank else None,
        grader=grader,
        judgments=judgments,
        epsilon=epsilon,
        reviewers=list(dict.fromkeys(name for task in tasks for name in task.reviewers)),
        n=sum(map(len, tasks)),
        rows=ROWS.of(rows),
        per_query=PER_QUERY.of([row for task in tasks for row in _per(task, ["query_id"])]),
        per_question=PER_QUESTION.of([row for task in tasks for row in _per(task, ["query_id", "question_id"])]),
        confusion=CONFUSION.of([row for task in tasks for row in _confusion(task)]),
        replacing=REPLACING.of([row for rows, _ in tested for row in rows]),
        tests=TESTS.of([row for _, row in tested if row]),
        notes=[*notes, *remarks(snapshot, tasks, labelling, judgments)],
    )


def _rows(compared_reviews: ComparedReviews, grader: str | None, judgments: str | None) -> Iterator[tuple[Any, ...]]:
    people = compared_reviews.reviewers[:MOST_REVIEWERS]
    for name in (EVERYBODY, *people):
        own = compared_reviews if name == EVERYBODY else compared_reviews.by_reviewer(name)
        for compared, column, other in (("grader", "model", grader), ("judgments", "judged", judgments)):
            both = own.known(column)
            if len(both):
                pairs = of_two(both, "answer", column)
                yield from _listed(both, pairs, name, compared, other)
        if compared_reviews.task == "question":
            good = share(own.positive("answer"), own.sample)
            yield from _listed(own, [("good", good)], name, "nobody", "")
    several = compared_reviews.only(compared_reviews.rows.groupby("item")["reviewer"].transform("nunique") > 1)
    if len(several):
        yield from _listed(several, of_all(several), EVERYBODY, "reviewers", "")
    for first, second in combinations(people[:MOST_PAIRED], 2):
        both = paired(compared_reviews, first, second)
        if len(both):
            yield from _listed(both, of_two(both, "answer", "theirs"), first, "reviewer", second)


def _listed(
    compared_reviews: ComparedReviews,
    estimates: Iterable[tuple[str, Estimate]],
    reviewer: str,
    compared: str,
    other: str | None,
) -> Iterator[tuple[Any, ...]]:
    head, design = (compared_reviews.task, reviewer, compared, other), compared_reviews.design
    for measure, estimated in estimates:
        yield (*head, measure, *estimated, len(compared_reviews), design)


def paired(compared_reviews: ComparedReviews, first: str, second: str) -> ComparedReviews:
    """Return the items that two reviewers answered: the first's rows, with `theirs` the second's newest answer."""
    rows = compared_reviews.rows
    newest = rows.drop_duplicates(["reviewer", "item"], keep="last")
    other = newest[newest["reviewer"] == second].set_index("item")["answer"]
    own = newest[newest["reviewer"] == first]
    both = own.assign(theirs=own["item"].map(other).astype(float))
    both = both[both["theirs"].notna()]
    return replace(compared_reviews, rows=both, sample=sample_in(both))


def _per(compared_reviews: ComparedReviews, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each query or question: agreement of everybody with the grader, or the share who call it good."""
    of_questions = len(names) > 1
    if of_questions and compared_reviews.task == "relevance":
        return
    known = compared_reviews if compared_reviews.task == "question" else compared_reviews.known("model")
    if not len(known) or (compared_reviews.task == "question" and not of_questions):
        return
    sample, answers, labels = known.sample, known.positive("answer"), known.positive("model")
    tables = table_of(answers.astype(np.int64), labels.astype(np.int64), 2)
    places = known.rows.reset_index(drop=True).groupby(list(names), sort=True).indices
    for key, rows in places.items():
        own = sample.only(rows)
        head = (compared_reviews.task, *(key if isinstance(key, tuple) else (key,)))
        if compared_reviews.task == "question":
            good = share(answers[rows], own)
            yield (*head, good.n, len(rows), *[np.nan] * 6, good.value)
            continue
        both = [UNKNOWN, UNKNOWN]
        if known.reached:
            both = [share((answers == labels)[rows], own), estimate_kappa(tables[rows], own)]
        ends = [value for estimated in both for value in estimated[:3]]
        items = known.rows["item"].iloc[rows].nunique()
        yield (*head, items, len(rows), *ends, *([np.nan] if of_questions else []))


def _confusion(compared_reviews: ComparedReviews) -> Iterator[tuple[Any, ...]]:
    """Yield every label with every answer between the smallest and the largest that occur, largest first."""
    known = compared_reviews.known("model")
    values = (known.values("model"), known.values("answer"))
    if not len(known) or codes(*values) is None:
        return
    weights, (labels, answers) = known.sample.weights, (value.astype(np.int64) for value in values)
    for label in range(labels.max(), labels.min() - 1, -1):
        for answer in range(answers.max(), answers.min() - 1, -1):
            here = (labels == label) & (answers == answer)
            weight = weights[here].sum()
            wholes = (weights.sum(), weights[labels == label].sum(), weights[answers == answer].sum())
            shares = [weight / whole if whole else np.nan for whole in wholes]
            yield (compared_reviews.task, str(label), str(answer), int(here.sum()), *shares)


def cells_of(review_agreement: ReviewAgreement, task: str) -> pd.DataFrame:
    """Return a task's confusion as the cells of a matrix: `MATRIX`, whose shares are weighed by inverse probability."""
    rows = review_agreement.confusion[review_agreement.confusion["task"] == task]
    name = "label " + rows["label"] + ", answer " + rows["answer"]
    renamed = rows.rename(columns={"answer": "relevance", "of_answer": "of_relevance"})
    return MATRIX.of(renamed.assign(name=name)).reset_index(drop=True)


def above(review_agreement: ReviewAgreement, task: str, cells: pd.DataFrame) -> tuple[int, int]:
    """Return how many labels and how many answers among the cells count as a yes."""
    cuts = {
        "label": review_agreement.tau,
        "relevance": Cuts(review_agreement.tau, review_agreement.relevant_from).of_answers(task),
    }
    labels, answers = (sum(int(value) >= cut for value in cells[name].drop_duplicates()) for name, cut in cuts.items())
    return labels, answers


def usual_judgments(snapshot: Snapshot) -> str | None:
    """Return the default judgments: the official ones, or the only ones; None where neither exists."""
    known = qrels_ids(snapshot)
    return OFFICIAL if OFFICIAL in known else known[0] if len(known) == 1 else None


class Choice(NamedTuple):
    """The completed request for `review_agreement`."""

    labelling: LabelRule | None
    tau: float
    relevant_from: int
    judgments: str | None


def choose_agreement(snapshot: Snapshot, request: Request, judgments: str | None = None) -> Choice:
    """Complete a request: the usual tau, no grader where nothing is graded, `usual_judgments` where none are named.

    Raises UsageError where a name is unknown or left open where there are several, or an option is out of range.
    """
    if judgments is not None and judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    judgments = judgments or usual_judgments(snapshot)
    if not graded_banks(snapshot) and request.grader is None and request.bank is None:
        check_range("--relevant-from", request.relevant_from, 1, LARGEST_GRADE)
        check_tau(request.tau)
        return Choice(None, request.tau or TAUS[-2], request.relevant_from, judgments)
    labelling = choose_labelling(snapshot, request)
    return Choice(labelling, choose_tau(snapshot, labelling, request.tau), request.relevant_from, judgments)


FEW = 30
"""Items from which on an interval is reliable."""
NOTHING = (
    "There are no reviews that count: nobody has answered yet, or all answers were skipped or taken back. Draw a queue "
    "in the tab Queues of the page Reviews and answer it in the tab Review, or add a file with answers."
)
_WHAT = {"relevance": "reviews of relevance", "grade": "reviews of grades", "question": "reviews of questions"}


def remarks(
    snapshot: Snapshot, tasks: list[ComparedReviews], labelling: LabelRule | None, judgments: str | None
) -> list[str]:
    """Return notes on all tasks, each once."""
    if not tasks:
        return [NOTHING]
    sentences = [] if labelling else ["There are no grades: reviewers are compared with each other and with judgments."]
    for task in tasks:
        what = _WHAT[task.task]
        sentences += _about_design(task, what)
        if labelling and task.task != "question":
            sentences += _about_grader(snapshot, task, labelling, what)
        if judgments and task.task == "relevance" and (missing := int(task.rows["judged"].isna().sum())):
            sentences.append(f"{missing:,} of {len(task):,} {what} are of passages that {judgments} does not judge.")
        sentences += _about_people(task, what)
    return list(dict.fromkeys(sentences))


def _about_design(compared_reviews: ComparedReviews, what: str) -> Iterator[str]:
    by_hand = int(compared_reviews.rows["probability"].isna().sum())
    if by_hand == len(compared_reviews):
        yield (
            f"None of the {what} was drawn at a known probability: each counts alike, and intervals say nothing of "
            "passages that were chosen for a reason. Draw a queue, whose probabilities are known."
        )
    elif by_hand:
        yield (
            f"{by_hand:,} of {len(compared_reviews):,} {what} were not drawn at a known probability: each "
            "weighs as much as a drawn one on average; the others weigh the inverse of their probability."
        )
    if (n := compared_reviews.rows["item"].nunique()) < FEW:
        yield f"{what.capitalize()}: only {n} items, too few for reliable intervals."
    if shown := int(compared_reviews.rows["shown"].sum()):
        yield (
            f"{shown:,} of {len(compared_reviews):,} {what} were made with the grader's answer in sight, which "
            "draws people towards it."
        )


def _about_grader(
    snapshot: Snapshot, compared_reviews: ComparedReviews, labelling: LabelRule, what: str
) -> Iterator[str]:
    grader = labelling.grading.grader
    if compared_reviews.task == "grade" and labelling.grading.is_direct:
        yield f"{grader} labels whole passages: {what} can't be compared with it."
        return
    known = compared_reviews.known("model")
    if missing := len(compared_reviews) - len(known):
        yield (
            f"{missing:,} of {len(compared_reviews):,} {what} are of items without a readable grade of "
            f"{grader}; left out there."
        )
    if not compared_reviews.reached:
        end = largest(snapshot, labelling, compared_reviews.task)
        yield (
            f"No label of {grader} reaches tau {compared_reviews.cuts.tau} (they end at {end}): kappa and "
            "alpha are undefined."
        )
    if len(known) and codes(known.values("model"), known.values("answer")) is None:
        yield f"The values of {grader} are too far apart for weighted kappas, so only yes and no are compared."
    elif compared_reviews.task == "relevance" and len(known):
        yield (
            "Weighted kappas and alphas read labels and relevances as numbers on one scale; where that is not the "
            "same scale they can't reach 1."
        )


def _about_people(compared_reviews: ComparedReviews, what: str) -> Iterator[str]:
    people = len(compared_reviews.reviewers)
    if people == 1:
        yield f"One person alone made the {what}: reviewers can't be compared, nor can the grader replace one."
        return
    if people > MOST_REVIEWERS:
        yield f"{people:,} people made {what}: the {MOST_REVIEWERS} with the most have figures of their own."
    several = compared_reviews.rows.groupby("item")["reviewer"].nunique()
    shared = int((several > 1).sum())
    if not shared:
        yield f"No two people answered the same item ({what}): draw a queue with a share that everybody gets."
    elif shared < LEAST_ITEMS:
        yield (
            f"Only {shared} items have {what} by two people or more; the alternative annotator test needs "
            f"{LEAST_ITEMS} of each reviewer."
        )
    if people == 2 and shared >= LEAST_ITEMS and compared_reviews.task != "question":
        yield (
            "The alternative annotator test has two reviewers: it then says only whether the grader is nearer to one "
            "of them than the other is; its authors recommend three."
        )
