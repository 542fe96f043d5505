"""What is said of a command where all are listed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import exam_core
from exam_core import answers

GROUPS = (
    START := "Start here",
    BRING := "Bring data",
    LOOK := "Look at results",
    COMPARE := "Compare with a reference",
    RELIABILITY := "Reliability",
    GRADE := "Grade passages",
    BANKS := "Question banks",
    REVIEWS := "Reviews",
    SHARE := "Share",
    LOOK_AFTER := "Look after the store",
)
"""The headings under which commands are listed, in order; `START` has the six that matter first."""


class Command(NamedTuple):
    """A command, or a group of commands.

    Attributes
    ----------
    module : file of this folder; with a dot, of a wing or of the benchmarks, which are in the source alone
    function : in it; empty for a group, which is the file's `app`
    group : the heading under which it is listed, one of `GROUPS`; empty for a command within a group of commands
    said : the first sentences of its help, if they can't be read where it stands
    before : the one of its heading, or of a group like `export`, that it stands before; by default it is the last one
    """

    module: str
    function: str = ""
    group: str = ""
    said: str = ""
    before: str = ""

    @property
    def place(self) -> str:
        """Its module."""
        return self.module if "." in self.module else f"{__package__}.{self.module}"

    @property
    def about(self) -> str:
        """The first sentences of its help, for which nothing is loaded."""
        path = Path(exam_core.__path__[0]).parent.joinpath(*self.place.split(".")).with_suffix(".py")
        return self.said or answers.sentence_in(path, self.function)
