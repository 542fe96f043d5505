"""An analysis as it is declared: options in, an answer out. Light to load."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from exam_core.errors import UsageError
from exam_core.progress import Progress, no_progress

if TYPE_CHECKING:
    from exam_core.answers.answer import Answer
    from exam_core.store import Snapshot, Store


@dataclass(frozen=True)
class Subject:
    """What is asked about: a collection at one moment, and the store, which has more of it; a slide has no store."""

    store_if_any: Store | None
    snapshot: Snapshot
    progress: Progress = no_progress

    @property
    def store(self) -> Store:
        """The store. Raises UsageError where there is none, as on a slide."""
        if self.store_if_any is None:
            raise UsageError("This analysis needs the collection's store, which a slide does not have.")
        return self.store_if_any


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


@dataclass(frozen=True)
class Added:
    """What a wing adds to an analysis of the core.

    Parameters
    ----------
    name : of the analysis in a notebook
    options : a dataclass of further options
    change : makes another answer of the analysis's own, where they are asked for
    help, tables : what is said below the analysis's own help, and behind what it says of its tables
    """

    name: str
    options: type
    change: Callable[[Subject, Any, Answer], Answer]
    help: str = ""
    tables: str = ""

    def added_to(self, analysis: Analysis) -> Analysis:
        """The analysis with these options."""

        def answer(subject: Subject, options: Any) -> Answer:
            return self.change(subject, options, analysis.answer(subject, options))

        answer.__doc__ = f"{analysis.help}\n\n{self.help}"
        both: type = dataclass(frozen=True, kw_only=True)(type("Options", (self.options, analysis.options), {}))
        return replace(analysis, options=both, answer=answer, tables=analysis.tables + self.tables)


def analysis(name: str, **names: str) -> Callable[[Callable[..., Answer]], Analysis]:
    """Declare that a function answers an analysis; its second parameter's type has the options.

    Parameters
    ----------
    names : further attributes of the `Analysis`
    """

    def declare(answer: Callable[..., Answer]) -> Analysis:
        _, options, *_ = inspect.signature(answer).parameters
        owner = inspect.get_annotations(answer)[options]
        return Analysis(name, answer.__globals__[owner] if isinstance(owner, str) else owner, answer, **names)

    return declare
