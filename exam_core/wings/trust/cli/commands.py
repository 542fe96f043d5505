"""The commands on trust."""

from __future__ import annotations

from exam_core.cli.command import HOW_SURE, Command

COMMANDS = {
    "gullible": Command(f"{__package__}.gullible_command", "gullible", HOW_SURE),
    "bench gullibility": Command("benchmarks.wings.trust.commands", "gullibility", before="dashboard"),
}
ANALYSES = (("fidelity", HOW_SURE), ("votes", HOW_SURE), ("circularity", HOW_SURE))
