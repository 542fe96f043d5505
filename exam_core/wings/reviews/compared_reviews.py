"""Reviews compared with the grader, and the alternative annotator test: may a model replace a reviewer?

Each reviewer is left out in turn, and the model is measured beside them against those who remain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from exam_core.analysis.agreement import JUDGED
from exam_core.analysis.choice import LabelRule
from exam_core.analysis.choosing import no_judgments
from exam_core.analysis.grade_scales import largest_grade, largest_label
from exam_core.analysis.values import gradebook, pair_labels
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.results import ResultTable, count, decimal, flag, text
from exam_core.store import Snapshot
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import qrels_ids
from exam_core.tables import LARGEST_GRADE, UNREADABLE
from exam_core.wings.reviews.estimates import Sample, sample_of
from exam_core.wings.reviews.records import Reviews
from exam_core.wings.reviews.review import TASKS, Review, standing
from exam_core.wings.reviews.sampling import places

Alignment = Literal["accuracy", "rmse"]
"""Fit of an answer with those of others: the share of them that are the same, or minus their root mean square
distance."""
EPSILON = {"expert": 0.2, "skilled": 0.15, "crowd": 0.1}
"""Advantage of a model, since a reviewer costs more: recommended by the paper."""
LEAST_ITEMS, RATE, PASSED = 30, 0.05, 0.5
"""Items of a reviewer that the t-test needs; false discovery rate; winning rate from which the model passes."""


@dataclass(frozen=True)
class Alternative:
    """Result of the test; arrays have an entry for each reviewer.

    Parameters
    ----------
    n : items that the reviewer shares with another one and the model
    model, human : share of these on which the model, or the reviewer, fits the others at least as well as the other
    p : one-sided, of H0: model <= human - epsilon; NaN where the reviewer has too few items
    won : whether H0 is rejected for this reviewer
    winning_rate : share of tested reviewers for whom it is; NaN where none is tested
    advantage : mean of `model` over tested reviewers: the average advantage probability
    """

    n: Any
    model: Floats
    human: Floats
    p: Floats
    won: Bools
    winning_rate: float
    advantage: float

    @property
    def passed(self) -> bool:
        """Whether the model may replace a reviewer by this test."""
        return bool(self.winning_rate >= PASSED)


def alternative_annotator(
    answers: Floats,
    model: Floats,
    alignment: Alignment = "accuracy",
    *,
    epsilon: float = EPSILON["expert"],
    least: int = LEAST_ITEMS,
) -> Alternative:
    """Test for each reviewer whether the model stands for the others as well as they do, less `epsilon`.

    `answers` are (R, I) of R reviewers, `model` (I,); NaN where there is none. An item counts for a reviewer where the
    model and somebody else answered it, too; a reviewer is tested who has `least` of them.

    Source: Calderon, Reichart & Dror, ACL 2025, The Alternative Annotator Test for LLM-as-a-Judge, section 3;
    Benjamini & Yekutieli 2001.

    >>> reviewers = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]], float)
    >>> test = alternative_annotator(reviewers, model=np.array([1.0, 0.0, 1.0, 0.0]), least=4, epsilon=0.6)
    >>> print(test.model.tolist(), test.human.tolist(), test.p.round(3).tolist())
    [1.0, 1.0, 1.0] [1.0, 0.75, 0.75] [0.0, 0.021, 0.021]
    """
    reviewers = len(answers)
    n, fits, human, p = np.zeros(reviewers, np.int64), *(np.full(reviewers, np.nan) for _ in range(3))
    for place in range(reviewers):
        others = np.delete(answers, place, axis=0)
        shared = ~np.isnan(answers[place]) & ~np.isnan(model) & ~np.isnan(others).all(axis=0)
        n[place] = shared.sum()
        if not n[place]:
            continue
        human_fit = _fit(answers[place, shared], others[:, shared], alignment)
        model_fit = _fit(model[shared], others[:, shared], alignment)
        fits[place], human[place] = (model_fit >= human_fit).mean(), (human_fit >= model_fit).mean()
        if n[place] >= max(least, 2):
            p[place] = _smaller((human_fit >= model_fit).astype(float) - (model_fit >= human_fit), epsilon)
    tested = ~np.isnan(p)
    won = np.zeros(reviewers, bool)
    won[tested] = benjamini_yekutieli(p[tested])
    means = (won[tested].mean(), fits[tested].mean()) if tested.any() else (np.nan, np.nan)
    return Alternative(n, fits, human, p, won, *map(float, means))


def benjamini_yekutieli(p: Floats) -> Bools:
    """(m,) which hypotheses are rejected at the false discovery rate `RATE`, at any dependence among them.

    The largest k with p_(k) <= k RATE / (m (1 + 1/2 + ... + 1/m)) is taken, and the k smallest are rejected. `p` is
    (m,) without NaN.

    Source: Benjamini & Yekutieli 2001, theorem 1.3.

    >>> benjamini_yekutieli(np.array([0.02, 0.001, 0.5])).tolist()  # 0.001 <= 0.05 / (3 * (1 + 1/2 + 1/3))
    [False, True, False]
    """
    m, order = len(p), np.argsort(p, kind="stable")
    steps = np.arange(1, m + 1)
    below = np.flatnonzero(p[order] <= steps * RATE / (m * (1 / steps).sum()))
    rejected = np.zeros(m, bool)
    rejected[order[: below[-1] + 1 if len(below) else 0]] = True
    return rejected


def _fit(answers: Floats, others: Floats, alignment: Alignment) -> Floats:
    """(I,) fit of answers with those of others (R - 1, I), of whom some have none."""
    known = ~np.isnan(others)
    if alignment == "accuracy":
        return np.asarray(((others == answers) & known).sum(axis=0) / known.sum(axis=0))
    squares = np.where(known, (others - answers) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=0) / known.sum(axis=0)))


def _smaller(differences: Floats, epsilon: float) -> float:
    """One-sided p of Student's t-test that the mean is smaller than epsilon; 0 or 1 where all are one number."""
    from scipy.special import stdtr

    n, mean = len(differences), differences.mean()
    error = differences.std(ddof=1) / np.sqrt(n)
    if not error:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / error))


MOST_REVIEWERS = 50
"""Reviewers with figures of their own: those with the most reviews."""


@dataclass(frozen=True)
class Cuts:
    """Smallest yes: of grades and labels tau, of relevances `relevant_from`."""

    tau: float
    relevant_from: int

    def of_answers(self, task: str) -> float:
        """Return the smallest answer of people that is a yes."""
        return {"relevance": self.relevant_from, "grade": self.tau}.get(task, 1)


@dataclass(frozen=True)
class ComparedReviews:
    """Reviews of one task beside the grader's labels and the judgments of the same items.

    `rows` have task, reviewer, query_id, doc_id, question_id, answer, shown, sampler, probability, drawn, and by number
    item and queue; model and judged are NaN where there is none. `reached` is whether the grader's values can reach
    tau.
    """

    task: str
    rows: pd.DataFrame
    sample: Sample
    cuts: Cuts
    reached: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def reviewers(self) -> list[str]:
        """The people who answered, most reviews first."""
        counts = self.rows["reviewer"].value_counts()
        return sorted(counts.index, key=lambda name: (-counts[name], name))

    def only(self, mask: Any) -> ComparedReviews:
        """Return some of the rows; the chances of these to be answered stay."""
        places = np.flatnonzero(mask)
        return replace(self, rows=self.rows.iloc[places], sample=self.sample.only(places))

    def by_reviewer(self, reviewer: str) -> ComparedReviews:
        """Return one reviewer's answers, as a sample of its own."""
        rows = self.rows[self.rows["reviewer"] == reviewer]
        return replace(self, rows=rows, sample=sample_in(rows))

    def known(self, column: str) -> ComparedReviews:
        """Return the rows that have a value in a column."""
        return self.only(self.rows[column].notna())

    def values(self, column: str) -> Floats:
        """(n,) of a column: answers, the model's values or the judgments."""
        return np.asarray(self.rows[column], float)

    def positive(self, column: str) -> Bools:
        """(n,) whether a column's value is a yes."""
        if column == "model":  # tau may cut decimals, of which whole numbers are shown
            return np.asarray(self.values("model_cut") >= self.cuts.tau)
        return np.asarray(self.values(column) >= self.cuts.of_answers(self.task))

    @property
    def design(self) -> str:
        """The sampling of the items, in a few words."""
        known = self.rows["probability"].notna()
        samplers = sorted(set(self.rows.loc[known, "sampler"].dropna()))
        drawn = f"drawn ({', '.join(samplers) or 'unknown sampler'})"
        if known.all():
            return drawn
        return f"{drawn} and by hand" if known.any() else "by hand"


def sample_in(rows: pd.DataFrame) -> Sample:
    """Return the sample of reviews, all of which were answered or are left out for no reason of their own."""
    item, queue = (rows[name].to_numpy(np.int64) for name in ("item", "queue"))
    return sample_of(item, queue, rows["probability"].to_numpy(float), rows["drawn"].to_numpy(float))


def compare_reviews(
    snapshot: Snapshot, reviews: Reviews, labelling: LabelRule | None, *, cuts: Cuts, judgments: str | None = None
) -> list[ComparedReviews]:
    """Return the reviews that count, task by task; without a labelling or judgments, these values are NaN.

    Raises UsageError where there are no such judgments, or no grade or label to compare with.
    """
    if judgments is not None and judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    rows = _rows(standing(reviews.rows))
    tasks = []
    for task in TASKS:
        part = rows[rows["task"] == task].reset_index(drop=True)
        if len(part):
            cut = labelling and labelling.at(cuts.tau)
            part["model"] = _model(snapshot, labelling and labelling.at(0), task, part)
            part["model_cut"] = _model(snapshot, cut, task, part) if cut and cut.grading.raised else part["model"]
            judged = _judged(snapshot, judgments) if judgments is not None and task == "relevance" else {}
            keys = zip(part["query_id"], part["doc_id"], strict=True)
            part["judged"] = np.array([judged.get(key, np.nan) for key in keys], float)
            reached = largest(snapshot, labelling, task) >= cuts.tau
            tasks.append(ComparedReviews(task, part, sample_in(part), cuts, reached))
    return tasks


def largest(snapshot: Snapshot, labelling: LabelRule | None, task: str) -> int:
    """Return the largest label, or grade, that the grader can give; the largest of all without a grader."""
    if labelling is None or task == "question":
        return LARGEST_GRADE
    if task == "grade":
        return largest_grade(snapshot, labelling.grading.grader)
    return largest_label(snapshot, labelling)


def _rows(reviews: list[Review]) -> pd.DataFrame:
    """Return reviews as rows, with items and queues as numbers; an impossible probability or size is NaN."""
    names = ["task", "reviewer", "query_id", "doc_id", "question_id", "answer", "shown", "sampler", "probability"]
    names += ["drawn", "queue_id"]
    frame = pd.DataFrame({name: [getattr(review, name) for review in reviews] for name in names})
    for name in ("probability", "drawn"):
        frame[name] = pd.to_numeric(frame[name]).astype(float)
    frame["probability"] = frame["probability"].where(frame["probability"].between(0, 1, inclusive="right"))
    frame["drawn"] = frame["drawn"].where(frame["drawn"] >= 1)
    frame["item"] = frame.groupby(["task", "query_id", "doc_id", "question_id"], dropna=False, sort=False).ngroup()
    frame["queue"] = frame.groupby("queue_id", dropna=False, sort=False).ngroup()
    return frame


def _model(snapshot: Snapshot, labelling: LabelRule | None, task: str, rows: pd.DataFrame) -> Floats:
    """(n,) the grader's label of each row's passage, or its grade on the row's question."""
    nothing = np.full(len(rows), np.nan)
    if labelling is None or task == "question":
        return nothing
    book = gradebook(snapshot, labelling)
    if task == "grade" and not book.has_questions:
        return nothing
    keys = list(zip(rows["query_id"], rows["doc_id"], strict=True))
    place = places(book, set(keys))
    pairs = np.array([place.get(key, -1) for key in keys], np.int64)
    if task == "relevance":
        values = pair_labels(snapshot, labelling)[pairs].astype(float)
    else:
        values = _cells(book, pairs, rows["question_id"])
    return np.where((pairs >= 0) & (values > UNREADABLE), values, np.nan)


def _cells(book: Gradebook, pairs: Ints, questions: pd.Series) -> Floats:
    """(n,) the grade of each pair on a question; UNREADABLE where the query has no such question."""
    slots: dict[int, dict[str, int]] = {}
    values = np.full(len(pairs), float(UNREADABLE))
    for row, (pair, question) in enumerate(zip(pairs.tolist(), questions, strict=True)):
        query = int(book.pair_query[pair])
        if query not in slots:
            slots[query] = {name: slot for slot, name in enumerate(book.question_ids[query])}
        if pair >= 0 and question in slots[query]:
            values[row] = book.grades[pair, slots[query][question]]
    return values


@cached_by_snapshot(4)
def _judged(snapshot: Snapshot, judgments: str) -> dict[tuple[str, str], int]:
    frame = snapshot.query(JUDGED, {"qrels": judgments})
    keys = zip(frame["unit"], frame["doc_id"], strict=True)
    return dict(zip(keys, frame["relevance"].tolist(), strict=True))


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


def replacing_of(
    compared_reviews: ComparedReviews, epsilon: float
) -> tuple[list[tuple[Any, ...]], tuple[Any, ...] | None]:
    """Return rows of `REPLACING` of a task, and its row of `TESTS`; none without two reviewers of graded items."""
    known = compared_reviews.known("model")
    people = known.reviewers[:MOST_REVIEWERS]
    if len(people) < 2:
        return [], None
    known = known.only(known.rows["reviewer"].isin(people))
    _, item = np.unique(known.rows["item"], return_inverse=True)
    graded = compared_reviews.task == "grade"
    of_people, of_model = (
        (known.values(name) if graded else known.positive(name).astype(float)) for name in ("answer", "model")
    )
    answers = np.full((len(people), int(item.max()) + 1), np.nan)
    answers[known.rows["reviewer"].map({name: place for place, name in enumerate(people)}), item] = of_people
    model = np.full(answers.shape[1], np.nan)
    model[item] = of_model
    alignment: Alignment = "rmse" if graded else "accuracy"
    alternative = alternative_annotator(answers, model, alignment, epsilon=epsilon)
    if not alternative.n.any():
        return [], None
    columns = (alternative.n.tolist(), alternative.model, alternative.human, alternative.p, alternative.won.tolist())
    rows = [(compared_reviews.task, name, *values) for name, *values in zip(people, *columns, strict=True)]
    tested = int((~np.isnan(alternative.p)).sum())
    rates = alternative.winning_rate, alternative.advantage, alternative.passed
    return rows, (compared_reviews.task, alignment, epsilon, tested, *rates)
