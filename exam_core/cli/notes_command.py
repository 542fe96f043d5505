"""The command about notes on passages."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.asked import NoteForm
from exam_core.cli import common as cli


def notes(
    collection: cli.Collection,
    form: Annotated[NoteForm, typer.Option("--format", help="Output format; jsonl has a note on each line.")] = "table",
) -> None:
    """Notes on passages: author, time and text.

    Example: examboard notes dl19 --format jsonl
    """
    from exam_core.analysis.judges.note_rows import notes_lines, notes_table
    from exam_core.store.checking import damaged_notes
    from exam_core.store.notes import notes_of

    store = cli.open_store()
    store.snapshot(collection)
    found = notes_of(store, collection)
    for problem in damaged_notes(store, collection):
        cli.say(problem.sentence, err=True)
    if form == "jsonl":
        cli.give(notes_lines(found), line_end=False)
        return
    rows = notes_table(found)
    footer = [] if found else [f"{collection} has no notes. Write them on the page Passages, below a passage."]
    cli.print_object({"collection": collection, "rows": rows}, rows, cli.OutputForm(form), footer=footer)
