"""What a job and the process that has its workers on a Ray cluster say to each other; neither loads Ray for it."""

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
    """What workers are hired for, as it was found when the job began.

    Parameters
    ----------
    address : of the cluster
    needs : what Ray is to keep for each worker
    workers : asked of Ray; None: as many as there is room for
    """

    address: str
    needs: dict[str, int]
    workers: int | None


@dataclass(frozen=True)
class Start:
    """What a crew is hired for.

    Parameters
    ----------
    terms, about, machines : of an earlier crew that was lost, whose work it goes on with, after a pause of seconds
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
    """Prompts to be asked, by their places; whatever was asked before is not wanted any more."""

    number: int
    what: What = "answers"
    prompts: dict[int, Prompt] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """What a worker said to some prompts of a call, by their places."""

    call: int
    answers: list[tuple[int, Any]]


@dataclass(frozen=True)
class Staff:
    """Who is there.

    Parameters
    ----------
    working, loading : workers that can be asked, and that load their model
    wanted : workers that were asked of Ray, or the most that there were
    about : of the model; nothing before it can be asked
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
