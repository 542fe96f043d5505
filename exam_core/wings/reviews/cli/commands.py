"""The commands of reviews."""

from __future__ import annotations

from exam_core.cli.command import REVIEWS, Command

COMMANDS = {
    "bench reviews": Command("benchmarks.wings.reviews.commands", "reviews", before="dashboard"),
    "review": Command(f"{__package__}.review_commands", group=REVIEWS),
    "import reviews": Command(f"{__package__}.review_queue_commands", "reviews", before="duckdb"),
}
