"""What jobs were asked for, as records of the catalogue; how far they are is no promise, and stays a file of theirs."""

from __future__ import annotations

from typing import Any

import msgspec

from exam_core.store.catalogue import RecordKind


class JobOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a job was asked for.

    Parameters
    ----------
    kind : of the job; empty where an early version kept the arguments of its command line instead
    """

    kind: str = ""
    request: dict[str, Any] = {}
    arguments: list[str] = []

    def __post_init__(self) -> None:
        if not self.kind and not self.arguments:
            raise ValueError("it says nothing")


ORDER = RecordKind(
    "order", JobOrder, "What the job was asked for is unknown; its answers are kept.", "Set it aside (check --repair)."
)
