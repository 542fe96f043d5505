"""What a job would do, before a model is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.grading.modes.mode import Mode
from exam_core.grading.options import refuse_impossible
from exam_core.jobs.order import Order
from exam_core.jobs.task import Task
from exam_core.results import ResultTable, number, text
from exam_core.store import Snapshot, Store

TRIED = ResultTable(
    "trial",
    "Passages that a grading mode was tried on, with the model's answers and the grades read of them",
    text("query_id", "Query"),
    text("doc_id", "Passage ID"),
    text("passage", "Passage", width="medium"),
    text("question", "Question", "The question; the query where passages are graded as a whole.", width="medium"),
    text("answer", "Answer", "The model's own words.", width="medium"),
    number("grade", "Grade", "The grade that was read from the answer; empty if it can't be read.", "grade"),
    text("reason", "Why", "Why an answer can't be read, or is missing."),
)


@dataclass(frozen=True)
class Ahead:
    """What is to be graded.

    Parameters
    ----------
    grader : the name that the grades will have
    graded, missing : grades that are there, and that the job would make
    first : of the missing ones, those of passages among some run's first 20
    without_text : passages under a query that have no text and can't be graded
    prompt : the first one; empty where nothing is missing
    """

    grader: str
    graded: int
    missing: int
    first: int
    without_text: int
    prompt: str


def ahead(snapshot: Snapshot, store: Store, wanted: Order, own: Mode | None = None) -> Ahead:
    """What such a job would do in the collection as it is now; no model is loaded.

    Parameters
    ----------
    snapshot : of the collection; an answer that is kept is kept for it
    own : a mode that the store does not keep

    Raises
    ------
    UsageError : what prevents it: texts or answer keys that are missing, options that don't go together
    """
    del snapshot
    task = Task(store, wanted, own=own)
    refuse_impossible(task.order.options, task.mode.kind)
    return Ahead(
        grader=task.grader,
        graded=task.work.graded,
        missing=len(task),
        first=int(task.first.sum()),
        without_text=int(task.work.pairs["passage_text"].isna().sum()),
        prompt=task.prompts(slice(1))[0].text if len(task) else "",
    )
