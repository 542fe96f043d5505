"""Batches that jobs left at a server, ended there."""

from __future__ import annotations

from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.jobs.records import Job
from exam_core.store import Store


@verb("edit")
def cancel_batches(store: Store, job: Job) -> int:
    """End the batches of a job's model at its server, and say how many; what they answered can still be fetched.

    Raises UsageError where the job makes none, and GraderError where the server does not end them.
    """
    request = job.request
    if request is None or not request.order.options.batch:
        raise UsageError(f"Job {job.id} does not use batches, so there are none to end.")
    task = job.kind.task(store, request)
    task.cache  # noqa: B018  Where the model learns which batches there are.
    return int(task.answerer.cancel())
