"""The commands of the neighbour methods."""

from __future__ import annotations

from exam_core.cli.command import COMPARE, GRADE, LOOK, Command

COMMANDS = {
    "nrp-rank": Command(f"{__package__}.ranking", "nrp_rank", GRADE),
    "bench texts": Command("benchmarks.wings.neighbours.commands", "texts", before="corpus"),
    "import responses": Command(f"{__package__}.importing", "responses", before="duckdb"),
    "import assignments": Command(f"{__package__}.importing", "assignments", before="duckdb"),
    "import answers": Command(f"{__package__}.importing", "answers", before="duckdb"),
    "import ranks": Command(f"{__package__}.importing", "ranks", before="duckdb"),
    "import orders": Command(f"{__package__}.importing", "orders", before="duckdb"),
}
ANALYSES = (
    ("citations", LOOK),
    ("nuggets", LOOK),
    ("nrp", LOOK),
    ("nrp_expert", COMPARE),
    ("nrp_rankers", COMPARE),
)
