"""Orders for questions as people give them: what stays empty, and the command line that means the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from exam_core.jobs.ordering import departing, line
from exam_core.wings.banks.jobs.generation import GenerationOrder, GenerationRequest


def completed_generation(order: GenerationOrder) -> GenerationOrder:
    """The order with what is meant."""
    return replace(order, options=order.options.as_meant, reason=order.reason or None, queries=order.queries or None)


def generation_arguments(request: GenerationRequest) -> list[str]:
    """What follows `examboard bank generate` on a command line that means the same, as `arguments`."""
    order = completed_generation(request.order)
    said: dict[str, Any] = {"--bank": order.bank}
    said |= departing(order.options) | departing(order, leave_out=("collection", "bank"))
    said |= departing(request, leave_out=("plan",))
    return line(order.collection, said, plan=request.plan)
