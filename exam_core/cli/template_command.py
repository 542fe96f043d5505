"""`examboard template`: a small file of a kind, to be filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.errors import UsageError


def template(
    kind: Annotated[str | None, typer.Argument(help="Kind of file; without it, all are listed.")] = None,
    out: Annotated[Path, typer.Argument(help="File to write; - prints it.")] = Path("-"),
) -> None:
    """A small valid example file (run, qrels, bank, ...) to replace with your own; without a kind, lists all.

    All examples have the same queries, and can be imported together.

    Example: examboard template bank bank.csv
    """
    from exam_core.formats.registry import known_kinds
    from exam_core.formats.writing import write_lines

    kinds = known_kinds()
    if kind is None:
        for key, one in kinds.items():
            cli.say(f"{key:12} {one.title}")
        return
    if kind not in kinds:
        raise UsageError(f"There is no kind of file {kind}. There are: {', '.join(kinds)}.")
    write_lines(out, (line.encode() for line in kinds[kind].template.splitlines()))
    cli.wrote(out, f"an example of {kinds[kind].noun.lower()}; examboard import {kind} takes such files")
