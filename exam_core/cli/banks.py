"""`examboard bank ...`."""

from __future__ import annotations

import typer

app = typer.Typer(help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)
