"""The commands on trust."""

from __future__ import annotations

from exam_core.cli.command import RELIABILITY, Command

COMMANDS = {
    "gullible": Command(f"{__package__}.gullible_command", "gullible", RELIABILITY),
    "bench gullibility": Command("benchmarks.wings.trust.commands", "gullibility", before="dashboard"),
}
ANALYSES = (("fidelity", RELIABILITY), ("votes", RELIABILITY), ("circularity", RELIABILITY))
