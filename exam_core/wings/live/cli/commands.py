"""The command of the live page."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {
    "export report": Command("report_command", "report", before="duckdb"),
    "export site": Command(f"{__package__}.live", "site", before="duckdb"),
    "bench site": Command("benchmarks.wings.live.commands", "site", before="visits"),
}
