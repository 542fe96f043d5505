"""Probing as a kind of job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from exam_core.jobs.job_kind import JobKind
from exam_core.jobs.ordering import completed, departing, grader_options, line
from exam_core.store import Store
from exam_core.wings.trust.probe_request import ProbeRequest


def probe_arguments(request: ProbeRequest) -> list[str]:
    """What follows `examboard gullible` on a command line that means the same; what is at its default is left out."""
    fields = grader_options(completed(replace(request.order, limit=None))) | departing(request, leave_out=("plan",))
    return line(request.order.collection, fields, plan=request.plan)


def _probing(store: Store, request: ProbeRequest) -> Any:
    from exam_core.wings.trust.probe import ProbeTask

    return ProbeTask(store, request)


PROBING = JobKind(
    "probe",
    ProbeRequest,
    ("gullible",),
    probe_arguments,
    _probing,
    what="probe",
    does="probes a grader for gullibility",
    without_effect=("limit", "go_on"),
)
KINDS = (PROBING,)
