"""The kinds of jobs: grading, and those that wings declare."""

from __future__ import annotations

from typing import Any

from exam_core import wings
from exam_core.jobs.generation import GenerationRequest
from exam_core.jobs.kind import JobKind, Wanted
from exam_core.jobs.order import Request
from exam_core.jobs.ordering import arguments, generation_arguments
from exam_core.store import Store


def _grading(store: Store, request: Request) -> Any:
    from exam_core.jobs.task import Task

    return Task(store, request.order)


def _writing(store: Store, request: GenerationRequest) -> Any:
    from exam_core.jobs.writing import WritingTask

    return WritingTask(store, request.order)


GRADING = JobKind(
    "order.json", Request, ("grade",), arguments, _grading, what="grade", does="grades", aside=("limit", "go_on")
)
WRITING = JobKind(
    "generation.json",
    GenerationRequest,
    ("bank", "generate"),
    generation_arguments,
    _writing,
    what="write questions",
    does="writes questions",
    aside=("reason",),
)
KINDS: tuple[JobKind, ...] = (GRADING, WRITING, *wings.declared("jobs.kinds", "KINDS"))


def kind_of(request: Wanted) -> JobKind:
    """The kind of job that is asked for such a thing."""
    return next(kind for kind in KINDS if isinstance(request, kind.request))
