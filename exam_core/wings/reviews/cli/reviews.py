"""`examboard review ...`."""

from __future__ import annotations

from exam_core.cli.analysis_commands import command
from exam_core.cli.help_text import Commands, Listing
from exam_core.wings.reviews.cli import review_cost, review_files

app = Commands(cls=Listing, help="Reviews: people check the grader's work.", no_args_is_help=True)
app.command("queue")(review_files.draw_queue)
app.command("list")(review_files.list_queues)
app.command("import")(review_files.bring)
app.command("export")(review_files.export)
app.command("agreement")(command("review_agreement"))
app.command("cost")(review_cost.cost)
