"""An analysis as it is declared: options in, an answer out. Light to load."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exam_core.progress import Progress, no_progress

if TYPE_CHECKING:
    from exam_core.answers.answer import Answer
    from exam_core.store import Snapshot, Store


@dataclass(frozen=True)
class Subject:
    """What is asked about: a collection at one moment, and the store, which has reviews of it."""

    store: Store
    snapshot: Snapshot
    progress: Progress = no_progress


@dataclass(frozen=True)
class Analysis:
    """An analysis.

    Parameters
    ----------
    name : of the command; two words where it is one of a group
    options : a dataclass of declared fields
    answer : what answers it
    waiting : what a bar of progress says; empty where there is none
    tables : what stands in the answer's `tables`, for a notebook's help
    """

    name: str
    options: type
    answer: Callable[[Subject, Any], Answer]
    waiting: str = ""
    tables: str = ""

    @property
    def help(self) -> str:
        """What it answers, with examples of the command."""
        return inspect.cleandoc(self.answer.__doc__ or "")


def analysis(name: str, *, waiting: str = "", tables: str = "") -> Callable[[Callable[..., Answer]], Analysis]:
    """Declare that a function answers an analysis; its second parameter's type has the options."""

    def declare(answer: Callable[..., Answer]) -> Analysis:
        _, options, *_ = inspect.signature(answer).parameters
        owner = inspect.get_annotations(answer)[options]
        return Analysis(name, answer.__globals__[owner] if isinstance(owner, str) else owner, answer, waiting, tables)

    return declare
