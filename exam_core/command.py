"""What is said of a command where all are listed."""

from __future__ import annotations

from typing import NamedTuple

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
    module : the benchmarks come with the source alone
    function : its name in the module; empty for a group, which is the module's `app`
    group : the heading under which it is listed, one of `GROUPS`; empty for a command within a group of commands
    summary : the first sentences of its help, if they can't be read where it stands
    before : the command of its heading or group that it stands before; by default it is the last one
    """

    module: str
    function: str = ""
    group: str = ""
    summary: str = ""
    before: str = ""
