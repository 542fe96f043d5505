"""The command of serving."""

from __future__ import annotations

from exam_core.cli.command import SHARE, Command

COMMANDS = {"serve": Command(f"{__package__}.serving", "serve", SHARE)}
