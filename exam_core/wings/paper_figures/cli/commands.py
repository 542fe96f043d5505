"""The command of the wing."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {"export figure": Command(f"{__package__}.figure", "figure", before="duckdb")}
