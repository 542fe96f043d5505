"""The commands on trust."""

from __future__ import annotations

from exam_core.cli.command import Command

COMMANDS = {
    "gullible": Command(f"{__package__}.gullibility", "gullible", before="jobs"),
    "bench gullibility": Command("benchmarks.wings.trust.commands", "gullibility", before="editing"),
}
ANALYSES = (("fidelity", "stability"), ("votes", "stability"), ("circularity", "holes"))
