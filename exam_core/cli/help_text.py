"""What typer does otherwise here: help is plain text with each command's whole sentence, for which nothing else is
loaded, and a list is given once.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from exam_core.errors import UsageError


class Once(TyperCommand):
    """A command whose lists are given once, with commas: of two, the last would count alone without a word.

    Of other options the last counts, as anywhere, so that a line can end with what departs from the usual.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError where a list is given several times."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        lists = getattr(self.callback, "lists", ())
        for option, times in Counter(one for one in order if isinstance(one, TyperOption)).items():
            if times > 1 and option.name in lists:
                raise UsageError(f"{option.opts[0]} is given {times} times. Give it once, its values comma-separated.")
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """Commands, and groups of them; each is a `Once`."""

    def command(self, *named: Any, **options: Any) -> Callable[..., Any]:
        """Add a command."""
        return super().command(*named, **{"cls": Once} | options)


class Listing(TyperGroup):
    """A group of commands, none of whose sentences is cut at the end of a line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their types are typer's own
        """Write the list of commands into help, a section for each heading."""
        del ctx
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", "") or "Commands"
            sections.setdefault(str(heading), []).append((name, command.get_short_help_str(sys.maxsize)))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)
