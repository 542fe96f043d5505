"""`examboard bank ...`."""

from __future__ import annotations

import typer

from exam_core.cli import bank_generating

app = typer.Typer(help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)

app.command("generate")(bank_generating.generate)
