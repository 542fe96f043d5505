"""Ways to write what `export report` is asked for, and the views of a story: both are of wings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from exam_core import wings
from exam_core.cli.export_commands import Reported
from exam_core.view import View

Write = Callable[[Reported], None]
Views = Callable[[str, str], Sequence[View]]
"""The views of a story, by the collection in which it is kept and its name; UsageError where there is none."""


class Report(NamedTuple):
    """A way to write a report.

    Attributes
    ----------
    is_static : whether it shows one choice, for print; from the other one, other choices can be made
    write : writes it; raises NothingToChoose where it is not static and no other choice could be made
    """

    is_static: bool
    write: Write


def writer(*, is_static: bool) -> Write | None:
    """What writes a report; None where no wing does."""
    declared: list[Report] = [*wings.declared("reports")]
    return next((one.write for one in declared if one.is_static == is_static), None)


def pinned_views() -> Views | None:
    """What gives the views of a story; None where no wing keeps stories."""
    return next(wings.declared("pinned"), None)
