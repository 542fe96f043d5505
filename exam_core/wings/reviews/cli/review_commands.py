"""`examboard review ...`."""

from __future__ import annotations

from exam_core.cli.analysis_commands import command
from exam_core.cli.help_text import Commands, Listing
from exam_core.wings.reviews.cli import review_queue_commands

app = Commands(cls=Listing, help="Reviews: people check the grader's work.", no_args_is_help=True)
app.command("queue")(review_queue_commands.draw_queue)
app.command("list")(review_queue_commands.list_queues)
app.command("import")(review_queue_commands.bring)
app.command("export")(review_queue_commands.export)
app.command("agreement")(command("review_agreement"))
