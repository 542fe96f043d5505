"""The commands of the neighbour methods."""

from __future__ import annotations

from exam_core.cli.command import COMPARE, GRADE, LOOK, Command

COMMANDS = {
    "nrp-rank": Command(f"{__package__}.answer_commands", "nrp_rank", GRADE),
    "bench texts": Command("benchmarks.wings.neighbours.commands", "texts", before="corpus"),
    "import responses": Command(f"{__package__}.answer_commands", "responses", before="duckdb"),
    "import assignments": Command(f"{__package__}.answer_commands", "assignments", before="duckdb"),
    "import answers": Command(f"{__package__}.answer_commands", "answers", before="duckdb"),
    "import ranks": Command(f"{__package__}.answer_commands", "ranks", before="duckdb"),
    "import orders": Command(f"{__package__}.answer_commands", "orders", before="duckdb"),
}
ANALYSES = (
    ("citations", LOOK),
    ("nuggets", LOOK),
    ("nrp", LOOK),
    ("nrp_expert", COMPARE),
    ("nrp_rankers", COMPARE),
)
