"""The job that has questions written."""

from __future__ import annotations

from typing import Any

from exam_core.jobs.job_kind import JobKind
from exam_core.store import Store
from exam_core.wings.banks.jobs.generation import GenerationRequest
from exam_core.wings.banks.jobs.generation_ordering import generation_arguments


def _writing(store: Store, request: GenerationRequest) -> Any:
    from exam_core.wings.banks.jobs.writing_task import WritingTask

    return WritingTask(store, request.order)


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
KINDS = (WRITING,)
