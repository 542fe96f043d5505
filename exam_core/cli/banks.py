"""`examboard bank ...`."""

from __future__ import annotations

import typer

from exam_core.cli import bank_files

app = typer.Typer(help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)
app.command("import")(bank_files.bring)
app.command("export")(bank_files.export)
