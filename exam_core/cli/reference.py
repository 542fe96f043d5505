"""The list of commands: `python -m exam_core.cli.reference > docs/reference/commands.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from exam_core.command import GROUPS
from exam_core.wording import in_cell

_ABOUT = """\
# Commands

*For whoever types commands: every option, with an example of each command. `examboard COMMAND --help` says the same.*

Made by `python -m exam_core.cli.reference`.
`--store FOLDER` before the command names the store; by default it is `$EXAMBOARD_STORE`, or `store` in this folder.
`$EXAMBOARD_WORKERS` limits the threads that compute the numbers of a large collection; none depends on it."""


def command_list(app: typer.Typer) -> str:
    """Every command with its arguments and options as Markdown, under the headings of `--help`."""
    groups: dict[str, list[tuple[str, Any]]] = {}
    for name, command in getattr(typer.main.get_command(app), "commands", {}).items():
        groups.setdefault(str(command.rich_help_panel), []).extend(_within(command, name))
    groups = {heading: groups[heading] for heading in GROUPS if heading in groups}
    contents = []
    for heading, pairs in groups.items():
        links = ", ".join(f"[`{name}`](#{name.replace(' ', '-')})" for name, _ in pairs)
        contents.append(f"- **{heading}**: {links}")
    lines = [_ABOUT, "", *contents]
    for heading, group in groups.items():
        lines += ["", f"## {heading}"]
        for name, command in group:
            lines += _lines(command, name)
    return "\n".join(lines) + "\n"


def _within(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command by its name, or those of a group."""
    inner = getattr(command, "commands", {})
    for word, of_group in inner.items():
        yield from _within(of_group, f"{name} {word}")
    if not inner:
        yield name, command


def _lines(command: Any, name: str) -> Iterator[str]:
    yield from ("", f"### {name}", "", *_paragraphs(command.help or ""))
    context = command.make_context(name, [], resilient_parsing=True)
    rows = [record for param in command.params if (record := param.get_help_record(context))]
    if rows:
        yield from ("| argument or option | |", "| --- | --- |")
        yield from (f"| `{in_cell(written)}` | {in_cell(about)} |" for written, about in rows)


def _paragraphs(help_text: str) -> Iterator[str]:
    """The paragraphs of a command's help; its examples as code."""
    for paragraph in help_text.replace("\x08", "").strip().split("\n\n"):
        word, example, call = in_cell(paragraph).partition("Example: ")
        yield from (f"{example}`{call}`" if example and not word else in_cell(paragraph), "")


if __name__ == "__main__":
    from exam_core.cli.tree import app

    print(command_list(app), end="")
