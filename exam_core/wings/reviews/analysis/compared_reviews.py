"""Reviews beside what the grader and the judges say of the same items, a row for each review that counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.books import gradebook, pair_labels
from exam_core.analysis.evaluation.choice import LabelRule
from exam_core.analysis.evaluation.choosing import no_judgments
from exam_core.analysis.evaluation.grade_scales import largest_grade, largest_label
from exam_core.analysis.judges.contingency import JUDGED
from exam_core.errors import UsageError
from exam_core.measures.gradebook import Gradebook
from exam_core.numbers.arrays import Bools, Floats, Ints
from exam_core.store import Snapshot
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import qrels_ids
from exam_core.tables import LARGEST_GRADE, UNREADABLE
from exam_core.wings.reviews.analysis.population import places
from exam_core.wings.reviews.numbers.sample_estimates import Sample, sample_of
from exam_core.wings.reviews.review import TASKS, Review, standing
from exam_core.wings.reviews.store.review_records import Reviews

MOST_REVIEWERS = 50
"""Reviewers with figures of their own: those with the most reviews."""
_TASK, _QUEUE = "task", "queue"


@dataclass(frozen=True)
class Cuts:
    """From where on an answer counts as yes: grades and labels from tau, relevances from `relevant_from`."""

    tau: int
    relevant_from: int

    def of_answers(self, task: str) -> int:
        """What people's answers are cut at."""
        return {"relevance": self.relevant_from, "grade": self.tau}.get(task, 1)


@dataclass(frozen=True)
class ComparedReviews:
    """Reviews of one task with what others say of the same items.

    Parameters
    ----------
    rows : task, reviewer, query_id, doc_id, question_id, answer, shown, sampler, probability, drawn, and by number
        item and queue; model and judged are NaN where there is none
    sample : how these reviews came about
    cuts : what the values are cut at
    reached : whether the grader's values can reach tau at all
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
        """Who answered, most reviews first."""
        counts = self.rows["reviewer"].value_counts()
        return sorted(counts.index, key=lambda name: (-counts[name], name))

    def only(self, kept: Any) -> ComparedReviews:
        """The same with some of its rows; how likely these were to be answered stays as it is."""
        places = np.flatnonzero(kept)
        return replace(self, rows=self.rows.iloc[places], sample=self.sample.only(places))

    def of(self, reviewer: str) -> ComparedReviews:
        """What one reviewer answered, as a sample of its own."""
        rows = self.rows[self.rows["reviewer"] == reviewer]
        return replace(self, rows=rows, sample=sample_in(rows))

    def known(self, column: str) -> ComparedReviews:
        """Those of items of which the grader, or a judge, says something."""
        return self.only(self.rows[column].notna())

    def values(self, column: str) -> Floats:
        """(n,) of a column: answers, the model's or the judges'."""
        return np.asarray(self.rows[column], float)

    def positive(self, column: str) -> Bools:
        """(n,) whether a column's value is a yes."""
        cut = self.cuts.tau if column == "model" else self.cuts.of_answers(self.task)
        return np.asarray(self.values(column) >= cut)

    @property
    def design(self) -> str:
        """How the items came to be reviewed, in a few words."""
        known = self.rows["probability"].notna()
        samplers = sorted(set(self.rows.loc[known, "sampler"].dropna()))
        drawn = f"drawn ({', '.join(samplers) or 'unknown sampler'})"
        if known.all():
            return drawn
        return f"{drawn} and by hand" if known.any() else "by hand"


def sample_in(rows: pd.DataFrame) -> Sample:
    """How reviews came about, all of which were answered or are left out for no reason of their own."""
    item, queue = (rows[name].to_numpy(np.int64) for name in ("item", _QUEUE))
    return sample_of(item, queue, rows["probability"].to_numpy(float), rows["drawn"].to_numpy(float))


def beside(
    snapshot: Snapshot,
    reviews: Reviews,
    labelling: LabelRule | None,
    *,
    cuts: Cuts,
    judgments: str | None = None,
) -> list[ComparedReviews]:
    """The reviews that count, task by task.

    Parameters
    ----------
    labelling : None where there are no grades
    judgments : None where they are compared with none

    Raises
    ------
    UsageError : no such judgments, or nothing of the grader's to compare with
    """
    if judgments is not None and judgments not in qrels_ids(snapshot):
        raise UsageError(no_judgments(snapshot, judgments))
    rows = _rows(standing(reviews.rows))
    found = []
    for task in TASKS:
        part = rows[rows[_TASK] == task].reset_index(drop=True)
        if len(part):
            part["model"] = _model(snapshot, labelling, task, part)
            part["judged"] = _judged_of(snapshot, judgments, task, part)
            reached = largest(snapshot, labelling, task) >= cuts.tau
            found.append(ComparedReviews(task, part, sample_in(part), cuts, reached))
    return found


def largest(snapshot: Snapshot, labelling: LabelRule | None, task: str) -> int:
    """The largest label, or grade, that the grader can give; as large as any where there is no grader."""
    if labelling is None or task == "question":
        return LARGEST_GRADE
    if task == "grade":
        return largest_grade(snapshot, labelling.grading.grader)
    return largest_label(snapshot, labelling)


def _rows(kept: list[Review]) -> pd.DataFrame:
    """Reviews as rows, with items and queues as numbers; a probability or size that can't be one is none."""
    names = [_TASK, "reviewer", "query_id", "doc_id", "question_id", "answer", "shown", "sampler", "probability"]
    names += ["drawn", "queue_id"]
    frame = pd.DataFrame({name: [getattr(one, name) for one in kept] for name in names})
    for name in ("probability", "drawn"):
        frame[name] = pd.to_numeric(frame[name]).astype(float)
    frame["probability"] = frame["probability"].where(frame["probability"].between(0, 1, inclusive="right"))
    frame["drawn"] = frame["drawn"].where(frame["drawn"] >= 1)
    frame["item"] = frame.groupby([_TASK, "query_id", "doc_id", "question_id"], dropna=False, sort=False).ngroup()
    frame[_QUEUE] = frame.groupby("queue_id", dropna=False, sort=False).ngroup()
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
    found = np.full(len(pairs), float(UNREADABLE))
    for row, (pair, question) in enumerate(zip(pairs.tolist(), questions, strict=True)):
        query = int(book.pair_query[pair])
        if query not in slots:
            slots[query] = {name: slot for slot, name in enumerate(book.question_ids[query])}
        if pair >= 0 and question in slots[query]:
            found[row] = book.grades[pair, slots[query][question]]
    return found


def _judged_of(snapshot: Snapshot, judgments: str | None, task: str, rows: pd.DataFrame) -> Floats:
    if judgments is None or task != "relevance":
        return np.full(len(rows), np.nan)
    judged = _judged(snapshot, judgments)
    return np.array([judged.get(key, np.nan) for key in zip(rows["query_id"], rows["doc_id"], strict=True)], float)


@kept(4)
def _judged(snapshot: Snapshot, judgments: str) -> dict[tuple[str, str], int]:
    found = snapshot.query(JUDGED, {"qrels": judgments})
    keys = zip(found["unit"], found["doc_id"], strict=True)
    return dict(zip(keys, found["relevance"].tolist(), strict=True))
