"""The commands of the stage."""

from __future__ import annotations

from exam_core.cli.command import SHARE, Command

COMMANDS = {
    "story": Command(f"{__package__}.story_commands", group=SHARE),
    "export report": Command("report_command", "report", before="duckdb"),
    "export story": Command(f"{__package__}.reports", "story", before="duckdb"),
}
