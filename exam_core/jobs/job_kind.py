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
    name : in a job's record
    words : of the command that does the same
    arguments : what follows these words on a command line that means the same
    task : prepares such a job without a record; it has a model, `answerer`, and the known answers, `cache`
    what, does : such a job in a table of jobs (`grade`), and in a sentence (`grades`)
    without_effect : fields of its order that no answer depends on
    """

    name: str
    request: type[Any]
    words: tuple[str, ...]
    arguments: Callable[[Any], list[str]]
    task: Callable[[Store, Any], Any]
    what: str
    does: str
    without_effect: tuple[str, ...] = ()
