"""The commands about modes."""

from __future__ import annotations

from exam_core.cli.command import GRADE, Command

COMMANDS = {"mode": Command(f"{__package__}.mode_commands", group=GRADE)}
