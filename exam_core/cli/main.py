"""The application: its commands, the --store option, and how errors leave it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from exam_core import __version__
from exam_core.cli import (
    benching,
    cutoffs,
    doctoring,
    explaining,
    exporting,
    generated,
    grading,
    importing,
    reading,
    reproducing,
    simulating,
    stability,
)
from exam_core.cli.common import open_store, print_imported, progress_bar, say
from exam_core.defaults import DEFAULT_STORE
from exam_core.errors import ExamboardError, UsageError, visible

app = typer.Typer(
    name="examboard",
    help="Evaluation of retrieval and generation systems by exam questions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(importing.app, name="import")
app.add_typer(exporting.app, name="export")
app.add_typer(benching.app, name="bench")
app.command("list")(reading.list_collections)
app.command()(reading.leaderboard)
app.command()(reading.correlate)
app.command()(reading.agreement)
app.command()(cutoffs.grid)
app.command()(cutoffs.cutoffs)
app.command()(stability.significance)
app.command()(stability.stability)
app.command()(stability.swaps)
app.command()(explaining.outliers)
app.command()(explaining.holes)
app.command()(explaining.whatif)
app.command()(generated.nrp)
app.command("nrp-expert")(generated.nrp_expert)
app.command("nrp-rankers")(generated.nrp_rankers)
app.command("nrp-rank")(generated.nrp_rank)
app.command()(reproducing.reproduce)
app.command()(grading.grade)
app.command()(grading.jobs)
app.command()(doctoring.doctor)
app.command()(simulating.simulate)


@app.command()
def demo() -> None:
    """Build the embedded collections: the demo and the papers' printed figures.

    Example: examboard demo
    """
    from exam_core.actions import build_demo

    with progress_bar("Building the demo") as progress:
        found = build_demo(open_store(), progress=progress)
    for done in found:
        print_imported(done)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"examboard {__version__}")
        raise typer.Exit


@app.callback()
def options(
    store: Annotated[
        str | None, typer.Option(help=f"Folder of the store, or an exported .duckdb file; by default {DEFAULT_STORE}.")
    ] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Evaluation of retrieval and generation systems by exam questions."""
    del version
    if store is not None:
        os.environ["EXAMBOARD_STORE"] = store


def main() -> None:
    """Run the command line; every error that a user can meet is one message and an exit status."""
    try:
        app()
    except ExamboardError as error:
        say(str(error), err=True)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        say(f"{error.filename or 'The output'}: {error.strerror}.", err=True)
        sys.exit(1)
    except UnicodeEncodeError:
        odd = [argument for argument in sys.argv if not argument.isascii() and visible(argument) != argument]
        if not odd:
            raise
        say(f"{odd[0]}: is not UTF-8. Write it anew.", err=True)
        sys.exit(UsageError.exit_status)
