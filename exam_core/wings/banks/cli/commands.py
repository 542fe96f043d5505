"""The commands of banks."""

from __future__ import annotations

from exam_core.cli.command import BANKS, Command

COMMANDS = {
    "bank": Command(f"{__package__}.bank_commands", group=BANKS),
}
