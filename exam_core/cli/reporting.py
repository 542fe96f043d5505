"""What a wing declares in its `cli/reports.py`, as `REPORTS`: a way to write what `export report` is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from exam_core import wings
from exam_core.cli.export_commands import Reported

Write = Callable[[Reported], None]


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
    declared: list[Report] = [*wings.declared("cli.reports", "REPORTS")]
    return next((one.write for one in declared if one.is_static == is_static), None)
