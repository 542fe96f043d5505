"""What is said of a command where all are listed."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A command, or a group of commands.

    Attributes
    ----------
    module : file of this folder; with a dot, of a wing or of the benchmarks, which are in the source alone
    function : in it; empty for a group, which is the file's `app`
    about : the first sentences of its help; of a command of a group they are not needed
    before : the command that it stands before in the list; by default it is the last one
    """

    module: str
    function: str
    about: str = ""
    before: str = ""
