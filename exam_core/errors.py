"""Everything that Examboard can refuse to do.

- ExamboardError: a message for the user, exit status 1
    - BadInput: a file has lines we can't take; every one is named
    - StoreError: the store can't do what was asked
    - GraderError: a model can't be loaded, or can't go on
    - UndefinedMeasure: the measure has no value here; the message says why
    - UsageError: the request itself is wrong, exit status 2
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 20


class ExamboardError(Exception):
    """A problem that the user can do something about."""

    exit_status = 1


class StoreError(ExamboardError):
    """The store can't do what was asked."""


class GraderError(ExamboardError):
    """A model can't be loaded or can't go on; the message names the model and what to do."""


class UndefinedMeasure(ExamboardError):  # noqa: N818
    """A measure has no value on this data."""


class UsageError(ExamboardError):
    """The request can't be met as it was put: an unknown name, an option out of range."""

    exit_status = 2


class BadInput(ExamboardError):  # noqa: N818
    """A file has lines that can't be taken; the message names each with a remedy."""


@dataclass(frozen=True)
class Problem:
    """One line of a file that can't be taken."""

    line: int
    what: str
    value: str = ""
    remedy: str = ""


@dataclass
class Problems:
    """Collects the bad lines of one file, so that a user hears of all of them at once."""

    path: Path
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, what: str, value: object = "", remedy: str = "") -> None:
        """Note a bad line. `value` is what the line says, `remedy` what the user can do."""
        self.found.append(Problem(line, what, str(value)[:160], remedy))

    def raise_if_any(self) -> None:
        """Raise BadInput that names the first 20 bad lines and counts the others."""
        if self.found:
            raise BadInput("\n".join(self._lines()))

    def _lines(self) -> list[str]:
        lines, last_remedy = [], ""
        for problem in sorted(self.found, key=lambda problem: problem.line)[:SHOWN]:
            where = f"{self.path}:{problem.line}" if problem.line else str(self.path)
            if last_remedy and problem.remedy != last_remedy:
                lines.append(last_remedy)
            lines.append(f"{where}: {problem.what}")
            if problem.value:
                lines.append(f"  {problem.value}")
            last_remedy = problem.remedy
        if last_remedy:
            lines.append(last_remedy)
        if len(self.found) > SHOWN:
            lines.append(f"... and {len(self.found) - SHOWN:,} more lines like these.")
        lines.append("Nothing was stored.")
        return lines
