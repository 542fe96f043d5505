"""The application: its commands, the options before them, and how errors leave it."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from exam_core import __version__
from exam_core.cli.commands import COMMANDS, add, mention
from exam_core.cli.common import Commands, Listing, say
from exam_core.defaults import DEFAULT_STORE
from exam_core.errors import ExamboardError, UsageError, visible


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"examboard {__version__}")
        raise typer.Exit


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


def application(*names: str, loaded: bool = True, typed: str = "") -> typer.Typer:
    """The command line with these commands, or all; where not `loaded`, they are listed and can't be run.

    `typed` is the word behind the only command: of a group no more is loaded than this needs.
    """
    app = Commands(
        name="examboard",
        help="Evaluation of retrieval and generation systems by exam questions.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # what draws boxes takes longer to load than all else
        cls=Listing,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    for name in names or COMMANDS:
        add(app, name, typed) if loaded else mention(app, name)
    return app


def _application_for(arguments: list[str]) -> typer.Typer:
    """As much of the command line as the arguments need: one command, the list of all, or, to be safe, everything."""
    named = arguments
    while named[:1] == ["--store"]:
        named = named[2:]
    if not named or named in (["--help"], ["-h"]):
        return application(loaded=False)
    return application(named[0], typed="".join(named[1:2])) if named[0] in COMMANDS else application()


def main() -> None:
    """Run the command line; every error that a user can meet is one message and an exit status."""
    try:
        _application_for(sys.argv[1:])()
    except ExamboardError as error:
        say(str(error), err=True)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        say(f"{error.filename or 'The output'}: {error.strerror or error}.", err=True)
        sys.exit(1)
    except UnicodeEncodeError:
        odd = [argument for argument in sys.argv if not argument.isascii() and visible(argument) != argument]
        if not odd:
            raise
        say(f"{odd[0]}: is not UTF-8. Type it again.", err=True)
        sys.exit(UsageError.exit_status)
