"""Messages between a job and the process that has its workers on a Ray cluster; neither loads Ray for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from exam_core.grading.backend import Kind
from exam_core.grading.options import GradingOptions
from exam_core.grading.prompt import Answerer, Prompt

What = Literal["lengths", "answers"]
Load = Callable[[GradingOptions, Kind], Answerer]


@dataclass(frozen=True)
class HiringTerms:
    """The terms on which workers are hired, as the cluster was when the job began.

    `needs` is what Ray reserves for each worker; `workers` is their number, None for as many as there is room for.
    """

    address: str
    needs: dict[str, int]
    workers: int | None


@dataclass(frozen=True)
class Start:
    """The first message to a crew.

    `terms`, `about` and `machines` are of an earlier crew that was lost, whose work this one continues after a `pause`
    in seconds.
    """

    load: Load
    options: GradingOptions
    kind: Kind
    terms: HiringTerms | None = None
    about: dict[str, Any] = field(default_factory=dict)
    machines: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0


@dataclass(frozen=True)
class Call:
    """Prompts to be asked, by their places; earlier prompts need no answers any more."""

    number: int
    what: What = "answers"
    prompts: dict[int, Prompt] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """A worker's answers to some prompts of a call, by their places."""

    call: int
    answers: list[tuple[int, Any]]


@dataclass(frozen=True)
class Staff:
    """The workers.

    Parameters
    ----------
    working, loading : workers that can be asked, and that load their model
    wanted : workers that were asked of Ray, or the most so far
    about : of the model; before it nothing can be asked
    machines : of the cluster, by Ray's name
    lost : why the last worker went
    """

    working: int
    loading: int
    wanted: int
    about: dict[str, Any]
    machines: dict[str, str]
    terms: HiringTerms | None
    lost: str
