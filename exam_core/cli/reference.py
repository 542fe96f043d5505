"""The list of commands: `python -m exam_core.cli.reference > docs/reference/commands.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

_ABOUT = """\
# Commands

Made from the commands themselves by `python -m exam_core.cli.reference`. `examboard COMMAND --help` says the same.
`--store FOLDER` before the command names the store; by default it is `$EXAMBOARD_STORE`, or `store` in this folder."""


def command_list(app: typer.Typer) -> str:
    """Every command with its arguments and options as Markdown."""
    return "\n".join([_ABOUT, *_lines(typer.main.get_command(app), ())]) + "\n"


def _lines(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    for name, one in inner.items():
        yield from _lines(one, (*path, name))
    if path and not inner:
        yield from ("", f"## {' '.join(path)}", "", *_paragraphs(command.help or ""))
        context = command.make_context(path[-1], [], resilient_parsing=True)
        rows = [record for one in command.params if (record := one.get_help_record(context))]
        if rows:
            yield from ("| argument or option | |", "| --- | --- |")
            yield from (f"| `{_text(written)}` | {_text(about)} |" for written, about in rows)


def _paragraphs(help_text: str) -> Iterator[str]:
    """The paragraphs of a command's help; its examples as code."""
    for paragraph in help_text.replace("\x08", "").strip().split("\n\n"):
        word, example, call = _text(paragraph).partition("Example: ")
        yield from (f"{example}`{call}`" if example and not word else _text(paragraph), "")


def _text(help_text: str) -> str:
    """A help text in one line of a table."""
    return " ".join(help_text.split()).replace("|", "\\|")


if __name__ == "__main__":
    from exam_core.cli.tree import app

    print(command_list(app), end="")
