"""Agreement of reviewers with the grader, with each other and with judgments; every figure weighs items by the draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import TAUS, LabelRule
from exam_core.analysis.evaluation.choosing import check_range, choose_labelling, choose_tau, no_judgments
from exam_core.analysis.evaluation.grade_scales import about_scale
from exam_core.analysis.judges.matrices import MATRIX
from exam_core.analysis.shared_columns import QUERY, QUESTION
from exam_core.asked import Asked
from exam_core.errors import UsageError
from exam_core.results import ResultTable, count, decimal, text
from exam_core.results import share as percent
from exam_core.store import Snapshot
from exam_core.store.summary import graded_banks, qrels_ids
from exam_core.tables import LARGEST_GRADE, OFFICIAL
from exam_core.wings.reviews.analysis.alternative_annotator import REPLACING, TESTS, replacing_of
from exam_core.wings.reviews.analysis.coefficients import NAMES, codes, of_all, of_two
from exam_core.wings.reviews.analysis.compared_reviews import MOST_REVIEWERS, ComparedReviews, Cuts, beside, sample_in
from exam_core.wings.reviews.analysis.remarks import remarks
from exam_core.wings.reviews.numbers.alternative import EPSILON
from exam_core.wings.reviews.numbers.sample_estimates import UNKNOWN, estimate_kappa, share, table_of
from exam_core.wings.reviews.store.review_records import Reviews

EVERYBODY = "all"
"""Stands for a reviewer's name where it is about all of them."""
MOST_PAIRED = 12
"""Reviewers that are compared with each other: those with the most reviews."""
_TASK = text("task", "Task", "Task: relevance of a passage, its grade on a question, or whether a question is good.")
_N = count("n", "Items", "Number of different items behind the figure.", "items")
_REVIEWS = count(
    "reviews", "Reviews", "Number of answers behind the figure; several people may answer one item.", "reviews"
)
_AGREEMENT = decimal(
    "agreement",
    "Share that agrees",
    "Items on which both say yes, or both no.",
    "share of items",
)
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
    """What reviews say of a grader and of each other; frames as their tables are declared.

    Parameters
    ----------
    bank, grader, judgments : what reviewers are compared with; None where with nothing
    reviewers : who answered, most reviews first
    n : reviews that count
    rows : `ROWS`; per_query : `PER_QUERY`; per_question : `PER_QUESTION`; confusion : `CONFUSION`
    replacing : `REPLACING`, a row for each reviewer; tests : `TESTS`, a row for each task
    notes : what is undefined, left out or to be kept in mind
    """

    tau: int
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
        """The row of everybody together; None where there is none."""
        here = {"task": task, "measure": measure, "compared": compared, "reviewer": EVERYBODY}
        found = self.rows[(self.rows[list(here)] == list(here.values())).all(axis=1)]
        return next(found.itertuples(index=False), None)


def review_agreement(
    snapshot: Snapshot,
    reviews: Reviews,
    labelling: LabelRule | None,
    *,
    tau: int,
    relevant_from: int,
    judgments: str | None = None,
    epsilon: float = EPSILON["expert"],
) -> ReviewAgreement:
    """Agreement of reviewers with a grader's labels and grades, with each other, and with judgments.

    Parameters
    ----------
    labelling : whose labels; None where there are none
    tau : smallest label, or grade, that counts as a yes
    relevant_from : smallest relevance that does, of reviewers and judges alike
    judgments : compared with them, too; None leaves that out
    epsilon : advantage that the alternative annotator test gives the grader

    Raises
    ------
    UsageError : no such judgments, or the grader has no grades
    """
    found = beside(snapshot, reviews, labelling, cuts=Cuts(tau, relevant_from), judgments=judgments)
    grading = labelling.grading if labelling else None
    grader = grading.grader if grading else None
    notes = [*reviews.damaged, *about_scale(snapshot, [grader] if grader else [])]
    rows = [row for one in found for row in _rows(one, grader, judgments)]
    tested = [replacing_of(one, epsilon) for one in found]
    return ReviewAgreement(
        tau=tau,
        relevant_from=relevant_from,
        label_rank=labelling.label_rank if labelling else 1,
        label_map=labelling.written_map if labelling else None,
        bank=str(grading.bank) if grading and grading.bank else None,
        grader=grader,
        judgments=judgments,
        epsilon=epsilon,
        reviewers=list(dict.fromkeys(name for one in found for name in one.reviewers)),
        n=sum(map(len, found)),
        rows=ROWS.of(rows),
        per_query=PER_QUERY.of([row for one in found for row in _per(one, ["query_id"])]),
        per_question=PER_QUESTION.of([row for one in found for row in _per(one, ["query_id", "question_id"])]),
        confusion=CONFUSION.of([row for one in found for row in _confusion(one)]),
        replacing=REPLACING.of([row for rows, _ in tested for row in rows]),
        tests=TESTS.of([row for _, row in tested if row]),
        notes=[*notes, *remarks(snapshot, found, labelling, judgments)],
    )


def _rows(found: ComparedReviews, grader: str | None, judgments: str | None) -> Iterator[tuple[Any, ...]]:
    people = found.reviewers[:MOST_REVIEWERS]
    for name in (EVERYBODY, *people):
        own = found if name == EVERYBODY else found.of(name)
        for compared, column, other in (("grader", "model", grader), ("judgments", "judged", judgments)):
            both = own.known(column)
            if len(both):
                told = of_two(both, "answer", column)
                yield from _told(both, told, name, compared, other)
        if found.task == "question":
            good = share(own.positive("answer"), own.sample)
            yield from _told(own, [("good", good)], name, "nobody", "")
    several = found.only(found.rows.groupby("item")["reviewer"].transform("nunique") > 1)
    if len(several):
        yield from _told(several, of_all(several), EVERYBODY, "reviewers", "")
    for first, second in combinations(people[:MOST_PAIRED], 2):
        both = paired(found, first, second)
        if len(both):
            yield from _told(both, of_two(both, "answer", "theirs"), first, "reviewer", second)


def _told(
    found: ComparedReviews, told: Any, reviewer: str, compared: str, other: str | None
) -> Iterator[tuple[Any, ...]]:
    head, design = (found.task, reviewer, compared, other), found.design
    for measure, one in told:
        yield (*head, measure, one.value, one.low, one.high, one.n, len(found), design)


def paired(found: ComparedReviews, first: str, second: str) -> ComparedReviews:
    """The items that two reviewers answered: the first's rows, with `theirs` the second's newest answer."""
    rows = found.rows
    newest = rows.drop_duplicates(["reviewer", "item"], keep="last")
    other = newest[newest["reviewer"] == second].set_index("item")["answer"]
    mine = newest[newest["reviewer"] == first]
    both = mine.assign(theirs=mine["item"].map(other).astype(float))
    both = both[both["theirs"].notna()]
    return replace(found, rows=both, sample=sample_in(both))


def _per(found: ComparedReviews, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """A row for each query or question: how far everybody agrees with the grader, or calls it good."""
    of_questions = len(names) > 1
    if of_questions and found.task == "relevance":
        return
    known = found if found.task == "question" else found.known("model")
    if not len(known) or (found.task == "question" and not of_questions):
        return
    sample, agrees = known.sample, known.positive("answer") == known.positive("model")
    tables = table_of(known.positive("answer").astype(np.int64), known.positive("model").astype(np.int64), 2)
    places = known.rows.reset_index(drop=True).groupby(list(names), sort=True).indices
    for key, rows in places.items():
        own = sample.only(rows)
        head = (found.task, *(key if isinstance(key, tuple) else (key,)))
        if found.task == "question":
            asked = share(known.positive("answer")[rows], own)
            yield (*head, asked.n, len(rows), *[np.nan] * 6, asked.value)
            continue
        if not known.reached:
            both = [UNKNOWN, UNKNOWN]
        else:
            both = [share(agrees[rows], own), estimate_kappa(tables[rows], own)]
        ends = [value for one in both for value in one[:3]]
        items = known.rows["item"].iloc[rows].nunique()
        yield (*head, items, len(rows), *ends, *([np.nan] if of_questions else []))


def _confusion(found: ComparedReviews) -> Iterator[tuple[Any, ...]]:
    """Every label with every answer between the smallest and the largest that occur, largest first."""
    known = found.known("model")
    values = (known.values("model"), known.values("answer"))
    if not len(known) or codes(*values) is None:
        return
    weights, (labels, answers) = known.sample.weights, (one.astype(np.int64) for one in values)
    whole = weights.sum()
    for label in range(labels.max(), labels.min() - 1, -1):
        for answer in range(answers.max(), answers.min() - 1, -1):
            here = (labels == label) & (answers == answer)
            weight = weights[here].sum()
            of = [weights[labels == label].sum(), weights[answers == answer].sum()]
            shares = [weight / part if part else np.nan for part in (whole, *of)]
            yield (found.task, str(label), str(answer), int(here.sum()), *shares)


def cells_of(found: ReviewAgreement, task: str) -> pd.DataFrame:
    """A task's confusion as the cells of a matrix: `MATRIX`, whose shares are weighed by inverse probability."""
    rows = found.confusion[found.confusion["task"] == task]
    name = "label " + rows["label"] + ", answer " + rows["answer"]
    renamed = rows.rename(columns={"answer": "relevance", "of_answer": "of_relevance"})
    return MATRIX.of(renamed.assign(name=name)).reset_index(drop=True)


def above(found: ReviewAgreement, task: str, cells: pd.DataFrame) -> tuple[int, int]:
    """How many labels and how many answers among the cells count as a yes."""
    cuts = {"label": found.tau, "relevance": Cuts(found.tau, found.relevant_from).of_answers(task)}
    labels, answers = (sum(int(value) >= cut for value in cells[name].drop_duplicates()) for name, cut in cuts.items())
    return labels, answers


def usual_judgments(snapshot: Snapshot) -> str | None:
    """The judgments that are meant where nobody says: the official ones, or the only ones."""
    known = qrels_ids(snapshot)
    return OFFICIAL if OFFICIAL in known else known[0] if len(known) == 1 else None


class Choice(NamedTuple):
    """What `review_agreement` is asked, completed."""

    labelling: LabelRule | None
    tau: int
    relevant_from: int
    judgments: str | None


def choose_agreement(snapshot: Snapshot, asked: Asked, judgments: str | None = None) -> Choice:
    """Complete what is asked for: the usual tau, no grader where nothing is graded, official judgments if there are.

    Raises UsageError where a name is unknown or left open where there are several, or an option is out of range.

    Parameters
    ----------
    judgments : None takes the official ones, or the only ones
    """
    if judgments is not None and judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    judgments = judgments or usual_judgments(snapshot)
    if not graded_banks(snapshot) and asked.grader is None and asked.bank is None:
        check_range("--relevant-from", asked.relevant_from, 1, LARGEST_GRADE)
        check_range("--tau", asked.tau, 1, TAUS[-1])
        return Choice(None, asked.tau or TAUS[-2], asked.relevant_from, judgments)
    labelling = choose_labelling(snapshot, asked)
    return Choice(labelling, choose_tau(snapshot, labelling, asked.tau), asked.relevant_from, judgments)
