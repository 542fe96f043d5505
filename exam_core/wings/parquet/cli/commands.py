"""The command of the wing."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {"export parquet": Command(f"{__package__}.parquet", "parquet")}
