"""What a kind of job is: what it can be asked for, and the command that does the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from exam_core.grading.options import GradingOptions
from exam_core.store import Store


class AnyOrder(Protocol):
    """What any order says: of which collection a model is asked, and how."""

    @property
    def collection(self) -> str: ...
    @property
    def options(self) -> GradingOptions: ...


class Wanted(Protocol):
    """What a job is asked for: to carry out an order, or to say what that would take."""

    @property
    def order(self) -> AnyOrder: ...
    @property
    def plan(self) -> bool: ...


@dataclass(frozen=True)
class JobKind:
    """A kind of job.

    Parameters
    ----------
    name : of the kind in a job's record
    request : its type
    words : of the command that does the same
    arguments : what follows these words on a command line that means the same
    task : prepares such a job, without a record: its model, as `answerer`, and the answers that are known, as `cache`
    what : such a job does, in a table of jobs: `grade`
    does : the same of one job: `grades`
    aside : fields of its order that no answer depends on
    """

    name: str
    request: type[Any]
    words: tuple[str, ...]
    arguments: Callable[[Any], list[str]]
    task: Callable[[Store, Any], Any]
    what: str
    does: str
    without_effect: tuple[str, ...] = ()
