"""The command of the wing."""

from __future__ import annotations

from exam_core.cli.command import LOOK_AFTER, Command

COMMANDS = {"doctor": Command(f"{__package__}.doctor_command", "doctor", LOOK_AFTER, before="check")}
