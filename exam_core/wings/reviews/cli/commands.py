"""The commands of reviews."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {
    "review": Command(f"{__package__}.reviews", before="import"),
    "import reviews": Command(f"{__package__}.bringing", "reviews", before="duckdb"),
}
