"""Everything that Examboard can refuse to do.

- ExamboardError: a message for the user, exit status 1
    - BadInput: a file has lines we can't take; every one is named
    - StoreError: the store can't do what was asked
    - GraderError: a model can't be loaded, or can't go on
        - ModelMissing: it is not here, or what runs it is not installed
    - UndefinedMeasure: the measure has no value here; the message says why
    - Refused: whoever acts has no right to it, or the store is read-only
    - UsageError: the request itself is wrong, exit status 2
        - NothingToChoose: nothing of it could be chosen on a page without a server
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 20
KEPT = 1000
"""Causes that are remembered; a file with more is no file of its kind, and they would fill the memory."""

UNSEEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
"""What a terminal acts upon instead of showing it (controls, changes of direction, halves of characters), as
the inside of a pattern's brackets; newline and tab apart."""
_UNSEEN = re.compile(f"[{UNSEEN}]")


def visible(text: str, *, line_ends: bool = True) -> str:
    r"""A text with control characters, and bytes of a file name that are not UTF-8, as escapes (`\x1b`), fit for a
    terminal.

    Newlines and tabs stay as they are, if `line_ends`.
    """
    text = _UNSEEN.sub(_escape, text)
    return text if line_ends else text.replace("\n", "\\n").replace("\t", "\\t")


def is_utf8(text: str) -> bool:
    """Whether a text can be written: what a terminal or a browser gives may have half a character in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    code -= 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0  # how Python keeps such a byte
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class ExamboardError(Exception):
    """A problem that the user can do something about."""

    exit_status = 1


class StoreError(ExamboardError):
    """The store can't do what was asked."""


class GraderError(ExamboardError):
    """A model can't be loaded or can't go on; the message names the model and what to do."""


class ModelMissing(GraderError):  # noqa: N818
    """A model is not on this machine and can't come here, or what runs it is not installed."""


class UndefinedMeasure(ExamboardError):  # noqa: N818
    """A measure has no value on this data."""


class NoQuestions(UndefinedMeasure):
    """The measure asks for exam questions, and labels of whole passages have none."""


class Refused(ExamboardError):  # noqa: N818
    """Whoever acts has no right to that, or the store is read-only."""


class UsageError(ExamboardError):
    """The request can't be met as it was put: an unknown name, an option out of range."""

    exit_status = 2


class NothingToChoose(UsageError):  # noqa: N818
    """Nothing of a collection, or of what is asked, could be chosen on a page without a server."""


class BadInput(ExamboardError):  # noqa: N818
    """A file has lines that can't be taken; the message names each with a remedy."""


class Undecided(BadInput):
    """A file that holds several things of which one has to be chosen: a column, and where `needs_run` the run's name,
    too.
    """

    def __init__(self, message: str, columns: Sequence[str] = (), *, needs_run: bool = False) -> None:
        super().__init__(message)
        self.columns, self.needs_run = tuple(columns), needs_run


@dataclass(frozen=True)
class Problem:
    """One line of a file that can't be taken; lines that are refused for the same reason have one cause."""

    line: int
    what: str
    value: str = ""
    remedy: str = ""
    cause: str = ""


@dataclass
class Problems:
    """Collects the bad lines of one file, so that a user hears of all of them at once.

    `problems` are the first of each cause. `unfinished` is the number of the last line, if it has no line end; else 0.
    """

    path: Path
    problems: list[Problem] = field(default_factory=list)
    unfinished: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    more: int = 0

    def add(self, line: int, what: str, value: object = "", remedy: str = "", *, cause: str = "") -> None:
        """Note a bad line. `value` is what the line says, `remedy` what the user can do."""
        cause = cause or what
        if cause not in self.counts and len(self.counts) == KEPT:
            self.more += 1
            return
        self.counts[cause] = self.counts.get(cause, 0) + 1
        if self.counts[cause] <= SHOWN + 1:
            self.problems.append(Problem(line, what, str(value)[:160], remedy, cause))

    def raise_if_any(self) -> None:
        """Raise BadInput that names the first 20 causes, each with its first lines, and counts the others."""
        if not self.problems:
            return
        causes: dict[str, list[Problem]] = {}
        for problem in sorted(self.problems, key=lambda problem: problem.line):
            causes.setdefault(problem.cause, []).append(problem)
        lines, last_remedy = [], ""
        for cause, problems in list(causes.items())[:SHOWN]:
            first = problems[0]
            where = f"{self.path}:{first.line}" if first.line else str(self.path)
            if last_remedy and first.remedy != last_remedy:
                lines.append(last_remedy)
            lines.append(f"{where}: {first.what}")
            if first.value:
                lines.append(f"  {first.value}")
            if len(problems) > 1:
                lines.append(f"  {_elsewhere(problems, self.counts[cause])}")
            last_remedy = first.remedy
        if last_remedy:
            lines.append(last_remedy)
        if hidden := self.more + sum(self.counts[cause] for cause in list(causes)[SHOWN:]):
            lines.append(f"... and {hidden:,} more lines like these.")
        lines.append("Nothing was stored.")
        raise BadInput(visible("\n".join(lines)))


def _elsewhere(problems: Sequence[Problem], count: int) -> str:
    """Where else the first problem occurs."""
    numbers = list(dict.fromkeys(problem.line for problem in problems if problem.line != problems[0].line))
    if not numbers:
        return f"{count:,} times in this line."
    listed = ", ".join(f"{number}" for number in numbers[:SHOWN])
    rest = count - len(problems) + max(len(numbers) - SHOWN, 0)
    more = f" and {rest:,} more" if rest else ""
    return f"The same in line{'s' if len(numbers) > 1 else ''} {listed}{more}: {count:,} times in all."
