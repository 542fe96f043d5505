"""The commands of simulated collections."""

from __future__ import annotations

from exam_core.cli.command import BRING, Command

_MEASURED = "benchmarks.wings.simulation.commands"
COMMANDS = {
    "simulate": Command(f"{__package__}.simulate_command", "simulate", BRING),
    "bench analysis": Command(_MEASURED, "analysis", before="evaluation"),
    "bench growth": Command(_MEASURED, "growth", before="evaluation"),
    "bench coverage": Command(_MEASURED, "coverage", before="errors"),
    "bench circularity": Command(_MEASURED, "circularity", before="intervals"),
}
