"""The command about what graders are called: alias."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.errors import UsageError
from exam_core.wording import quoted


def alias(
    collection: cli.Collection,
    grader: Annotated[
        str | None, typer.Argument(help="ID of the grader; without one, all are listed.", show_default=False)
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(help='New name; "" restores the guessed name.', show_default=False),
    ] = None,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Names of graders on pages, in charts and in tables for papers; with a name, rename one.

    Ids don't change: links, commands, CSV and JSON use them.

    Example: examboard alias dl19 Sun_few "Sun, four examples"
    """
    from exam_core.actions import grader_aliases
    from exam_core.analysis.contents.display_names import called

    store = cli.open_store()
    if grader is not None and name is None:
        raise UsageError(
            f"To name {grader}: examboard alias {quoted(collection)} {quoted(grader)} "
            '"NAME"; "" restores the guessed name.'
        )
    if grader is not None and name is not None:
        cli.say(grader_aliases.name_grader(store, collection, grader, name).sentence)
        return
    rows = called(store.snapshot(collection))
    if rows.empty and form is cli.OutputForm.TABLE:
        cli.say(f"{collection} has no graders: nobody graded it here.")
        return
    cli.print_object({"collection": collection, "rows": rows, "notes": []}, rows, form)
