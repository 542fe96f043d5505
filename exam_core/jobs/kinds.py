"""The kinds of jobs: grading, and those that wings declare."""

from __future__ import annotations

from typing import Any

from exam_core import wings
from exam_core.jobs.job_kind import JobKind, Wanted
from exam_core.jobs.ordering import JobRequest, arguments
from exam_core.store import Store


def _grading(store: Store, request: JobRequest) -> Any:
    from exam_core.jobs.task import Task

    return Task(store, request.order)


GRADING = JobKind(
    "order", JobRequest, ("grade",), arguments, _grading, what="grade", does="grades", without_effect=("limit", "go_on")
)
KINDS: tuple[JobKind, ...] = (GRADING, *wings.declared("job_kinds"))


def kind_of(request: Wanted) -> JobKind:
    """The kind of job that is asked for such a thing."""
    return next(kind for kind in KINDS if isinstance(request, kind.request))
