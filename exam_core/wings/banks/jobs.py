"""Writing questions as a kind of job. Light to load: command lines are made of it."""

from __future__ import annotations

from typing import Any

from exam_core.jobs.job_kind import JobKind
from exam_core.jobs.ordering import departing, line
from exam_core.store import Store
from exam_core.wings.banks.prompts import GenerationRequest


def generation_arguments(request: GenerationRequest) -> list[str]:
    """What follows `examboard bank generate` on a command line that means the same, as `arguments`."""
    order = request.order.as_meant
    fields: dict[str, Any] = {"--bank": order.bank}
    fields |= departing(order.options) | departing(order, leave_out=("collection", "bank"))
    fields |= departing(request, leave_out=("plan",))
    return line(order.collection, fields, plan=request.plan)


def _writing(store: Store, request: GenerationRequest) -> Any:
    from exam_core.wings.banks.generating import WritingTask

    return WritingTask(store, request.order)


WRITING = JobKind(
    "generation",
    GenerationRequest,
    ("bank", "generate"),
    generation_arguments,
    _writing,
    what="write questions",
    does="writes questions",
    without_effect=("reason",),
)
KINDS = (WRITING,)
