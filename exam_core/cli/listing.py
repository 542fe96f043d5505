"""How help is written: as plain text, for which nothing is loaded but typer, with each command's whole sentence."""

from __future__ import annotations

import sys
from typing import Any

from typer.core import TyperGroup


class Listing(TyperGroup):
    """A group of commands, none of whose sentences is cut at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their types are typer's own
        """Write the list of commands into help."""
        del ctx
        rows = [(name, command.get_short_help_str(sys.maxsize)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
