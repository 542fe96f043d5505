"""The command of the wing."""

from __future__ import annotations

from exam_core.cli.command import COMPARE, Command

COMMANDS = {"reproduce": Command(f"{__package__}.reproduce_command", "reproduce", COMPARE, before="agreement")}
