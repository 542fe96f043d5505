"""The command of serving."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {"serve": Command(f"{__package__}.serving", "serve", before="list")}
