"""`examboard mode ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import Commands

app = Commands(help="Modes of grading: the papers' and your own.", no_args_is_help=True)


@app.callback()
def modes() -> None:
    """Modes of grading: the papers' and your own."""


@app.command("list")
def list_modes(form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """All grading modes: those of the papers and of the store.

    Example: examboard mode list
    """
    import pandas as pd

    from exam_core.grading.modes.known import modes_of, unread_modes

    store = cli.open_store()
    for sentence in unread_modes(store):
        cli.say(sentence, err=True)
    records = [
        {"mode": called, "item": mode.item, "scale": mode.scale, "reading": mode.reading, "about": mode.about}
        | {"source": mode.source}
        for called, mode in modes_of(store).items()
    ]
    cli.print_object(records, pd.DataFrame(records), form)


@app.command("show")
def show_mode(
    name: Annotated[str, typer.Argument(help="Mode, as mode list names it; or, with --collection, a grader.")],
    collection: Annotated[str | None, typer.Option(help="Collection with grades of the mode.")] = None,
) -> None:
    """Print the file of a mode; change it to make a mode of your own.

    Example: examboard mode show self-rating
    """
    from exam_core.errors import UsageError
    from exam_core.grading.modes.known import modes_of

    store = cli.open_store()
    known = modes_of(store)
    if name in known:
        cli.give(known[name].toml)
        return
    graders = store.snapshot(collection).graders if collection else {}
    for grader, about in graders.items():
        info = about.get("prompt_info")
        if name in (grader, about.get("mode")) and isinstance(info, dict) and isinstance(info.get("mode"), str):
            cli.give(info["mode"])
            return
    where = f", nor does a grader of {collection} hold one of that name" if collection else ""
    more = "" if collection else " For the mode of a grader, add --collection."
    raise UsageError(f"There is no mode {name}{where}. There are: {', '.join(known)}.{more}")


@app.command("add")
def add_mode(file: Annotated[Path, typer.Argument(help="File of a mode, as mode show prints it.")]) -> None:
    """Add a mode of your own to the store: a prompt, a scale, and how answers are read.

    Example: examboard mode add my.toml
    """
    from exam_core.wings.modes import actions
    from exam_core.wings.modes.mode_reading import file_content

    mode = actions.add_mode(cli.open_store(), file_content(file), file)
    cli.say(f"{mode.called}: grades 0 to {mode.scale} of each {mode.item}. Grade with: --mode {mode.called}")
