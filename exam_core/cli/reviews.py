"""`examboard review ...`."""

from __future__ import annotations

import typer

from exam_core.cli import review_agreement

app = typer.Typer(help="Reviews: people check the grader's work.", no_args_is_help=True)
app.command("agreement")(review_agreement.agreement)
