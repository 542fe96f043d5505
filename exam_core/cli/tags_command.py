"""`examboard tags`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.errors import UsageError
from exam_core.wording import quoted


def tags(
    collection: cli.Collection,
    run: Annotated[
        str | None, typer.Argument(help="Run to tag; without one, all tags are listed.", show_default=False)
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Argument(help='Tags of the run, replacing all it has; "" removes them.', show_default=False),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="CSV file with columns run_id and tag; replaces all tags of the collection."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last change; a second undo redoes it.")] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Tags of runs that a grader may favour; with a run and tags, set its tags.

    A list that --format csv wrote is read back by --file.

    Example: examboard tags dl19 idst_bert_p1 "uses an LLM" "same family as the grader"

    Example: examboard tags dl19 --file tags.csv
    """
    from exam_core.actions import tagging
    from exam_core.analysis.contents.tagged_runs import LISTED, listed_tags

    store = cli.open_store()
    if (run is not None) + (file is not None) + undo > 1:
        raise UsageError("A run, --file and --undo: choose one of them.")
    if run is not None and not tag:
        raise UsageError(
            f'To give {run} tags: examboard tags {quoted(collection)} {quoted(run)} "TAG"; "" removes them.'
        )
    if file is not None:
        cli.say(tagging.tag_runs(store, collection, file).sentence)
    elif run is not None:
        cli.say(tagging.tag_run(store, collection, run, tag or []).sentence)
    elif undo:
        cli.say(tagging.undo_tags(store, collection).sentence)
    else:
        rows = listed_tags(store.snapshot(collection))
        if rows.empty and form is cli.OutputForm.TABLE:
            name = quoted(collection)
            cli.say(f'{collection} has no tags. Give one with: examboard tags {name} RUN "uses an LLM"')
            return
        cli.print_object({"collection": collection, "rows": LISTED.of(rows), "notes": []}, rows, form)
