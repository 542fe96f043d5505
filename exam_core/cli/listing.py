"""What typer does otherwise here: help is plain text with each command's whole sentence, for which nothing else is
loaded, and an option that takes one value is given once.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from exam_core.errors import UsageError


def _refuse_repeats(command: Any, ctx: Any, args: list[str]) -> None:
    """Raise UsageError for an option that takes one value and is given several times: the last would count alone."""
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    for option, times in Counter(one for one in order if isinstance(one, TyperOption)).items():
        if times > 1 and not (option.multiple or option.is_flag or option.count):
            several = ", with commas between values" if "commas between" in (option.help or "") else ""
            raise UsageError(
                f"{option.opts[0]} is given {times} times, and the last alone would count. Give it once{several}."
            )


class Once(TyperCommand):
    """A command that refuses what `_refuse_repeats` says."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        _refuse_repeats(self, ctx, args)
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """Commands, and groups of them, none of which takes a repeated option."""

    def command(self, *named: Any, **options: Any) -> Callable[..., Any]:
        """Add a command."""
        return super().command(*named, **{"cls": Once} | options)


class Listing(TyperGroup):
    """A group of commands, none of whose sentences is cut at the end of a line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        _refuse_repeats(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their types are typer's own
        """Write the list of commands into help."""
        del ctx
        rows = [(name, command.get_short_help_str(sys.maxsize)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
