"""Batches that jobs left at a server, ended there."""

from __future__ import annotations

from typing import Any

from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.jobs.generation import GenerationRequest
from exam_core.jobs.probe import ProbeTask
from exam_core.jobs.probing import ProbeRequest
from exam_core.jobs.records import Job
from exam_core.jobs.task import Task, ledger_beside
from exam_core.jobs.writing import WritingTask
from exam_core.store import Store


@verb("edit")
def cancel_batches(store: Store, job: Job) -> int:
    """End the batches of a job's model at its server, and say how many; what they answered can still be fetched.

    Raises
    ------
    UsageError : the job makes none
    GraderError : the server does not end them
    """
    request = job.request
    if request is None or not request.order.options.batch:
        raise UsageError(f"Job {job.id} asks by no batches, so there are none to end.")
    task: Task | WritingTask
    if isinstance(request, GenerationRequest):
        task = WritingTask(store, request.order)
    else:
        task = ProbeTask(store, request) if isinstance(request, ProbeRequest) else Task(store, request.order)
    model: Any = task.answerer
    model.ledger = ledger_beside(task.cache)
    return int(model.cancel())
