"""`examboard review` and `examboard import reviews`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from exam_core import request as options_of
from exam_core.addresses import local_path
from exam_core.cli import common as cli
from exam_core.cli import import_commands
from exam_core.cli.analysis_commands import command
from exam_core.cli.common import Commands, Listing
from exam_core.cli.declared_options import takes_declared
from exam_core.declared import Field, whole
from exam_core.errors import UsageError
from exam_core.request import Request
from exam_core.results import attributes
from exam_core.wings.reviews.queue import Draw
from exam_core.wording import quoted

if TYPE_CHECKING:
    from exam_core.wings.reviews.queue import Queue

ReviewForm = Literal["csv", "jsonl"]
"""How reviews are written."""
QueueForm = Literal["csv", "jsonl", "labelstudio"]
"""How a queue is written in which people review."""
Reviewer = Annotated[str | None, typer.Option(help="Reviewer, if the file names none.")]
_ENDINGS = {"csv": "csv", "jsonl": "jsonl", "json": "labelstudio"}
_PACKED = ("gz", "xz")
_BACK = "examboard review import {}"


@dataclass
class DrawOrder:
    """What is drawn of which lists, and where it is written."""

    collection: cli.Collection
    draw: Draw
    file: Annotated[
        Path | None,
        Field("File to review in: .csv, .jsonl, or .json for Label Studio; - prints a table.", argument=True),
    ] = None
    written: Annotated[QueueForm | None, Field("Format of the file; by default by its name.", "--form")] = None
    queue: Annotated[str | None, Field("Write the file of this queue (see review list); draw none.")] = None
    bank: options_of.Bank = None
    grader: options_of.Grader = None
    depth: options_of.Depth = options_of.DEPTH
    judgments: options_of.Judgments = None


@takes_declared(first=("collection", "file", "task", "by", "n", "seed", "shared", "instruction", "written"))
def draw_queue(order: DrawOrder, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Draw items for review. The queue is kept: people work on it on the page Reviews, or in the file.

    Each item keeps its sampling probability. In a table (CSV), people fill in the column answer, or give a reason
    under skipped; `review import` imports the file.

    Example: examboard review queue dl19 queue.csv --bank genq --by gain --n 200
    """
    from exam_core.formats.writing import prints
    from exam_core.wings.reviews import actions
    from exam_core.wings.reviews.records import queue_named

    written = _form(local_path(order.file), order.written) if order.file else None
    printed = order.file is not None and prints(order.file)
    if printed and form is not cli.OutputForm.TABLE:
        raise UsageError(f"--format {form}: the file itself is printed; name another file than {order.file}.")
    if order.file and order.file.exists() and not printed:
        raise UsageError(
            f"{order.file}: is there already, perhaps with answers in it. Name another file, or remove it."
        )
    store, collection = cli.open_store(), order.collection
    if order.queue:
        snapshot = store.snapshot(collection)
        queue = queue_named(store, collection, order.queue)
    else:
        request = Request(bank=order.bank, grader=order.grader, depth=whole(order.depth), judgments=order.judgments)
        queue = actions.draw_queue(store, collection, request, order.draw)
        snapshot = store.snapshot(collection)
    if order.file and written:
        actions.export_queue(snapshot, queue, order.file, written)
    if not printed:
        _print_queue(collection, queue, order.file, form, tasks=written == "labelstudio")


def _form(file: Path, form: str | None) -> str:
    """Return the form of a file: the named one, or the one of its ending; a table where it is printed."""
    from exam_core.formats.writing import prints

    endings = [ending for ending in file.name.lower().split(".")[1:] if ending not in _PACKED]
    written = form or ("csv" if prints(file) else _ENDINGS.get(endings[-1] if endings else ""))
    if written is None:
        raise UsageError(f"{file}: say with --form how it is written, or end its name in .csv or .jsonl.")
    return written


def _print_queue(collection: str, queue: Queue, file: Path | None, form: cli.OutputForm, *, tasks: bool) -> None:
    import pandas as pd

    shared = sum(item.shared for item in queue.items)
    named = ("queue_id", "created", "author", "task", "sampler", "seed", "population", "instruction")
    answer: dict[str, Any] = {"collection": collection, **attributes(queue, *named)}
    answer |= {"items": len(queue.items), "shared": shared, "file": str(file) if file else None}
    if form is not cli.OutputForm.TABLE:
        cli.print_object(answer | {"evaluation": queue.evaluation}, pd.DataFrame([answer]), form)
        return
    name = quoted(collection)
    cli.say(
        f"{collection}: queue {queue.queue_id[:8]} has {len(queue.items):,} of {queue.population:,} items "
        f"({queue.task}, by {queue.sampler}, seed {queue.seed}), {shared:,} of them for everybody"
    )
    if file and tasks:
        back = f"its export (JSON, JSON-MIN or CSV) comes back with: {_BACK.format(name)} FILE"
        cli.say(f"  {file}: tasks for Label Studio; {back}")
    elif file:
        again = f"{_BACK.format(name)} {quoted(str(file))} --reviewer NAME"
        cli.say(f"  {file}: fill in the column answer; it comes back with: {again}")


def bring(
    collection: cli.Collection,
    file: cli.Source,
    reviewer: Reviewer = None,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Reviews from a table (CSV), JSON, or Label Studio (JSON, JSON-MIN or CSV); the same as `import reviews`.

    Example: examboard review import dl19 queue.csv --reviewer ann
    """
    import pandas as pd

    from exam_core.wings.reviews import actions

    done = import_commands.import_by(actions.import_reviews, "reviews", collection, file, reviewer=reviewer)
    if form is cli.OutputForm.TABLE:
        cli.print_imported(done)
        return
    answer = attributes(done, "collection", "changed", "counts", "notes", "import_ids", "replaced")
    row = {"collection": collection, "changed": done.changed, **done.counts, "notes": " ".join(done.notes)}
    cli.print_object(answer, pd.DataFrame([row]), form)


def export(
    collection: cli.Collection,
    file: cli.Target,
    form: Annotated[ReviewForm | None, typer.Option(help="Format of the file; by default by its name.")] = None,
    standing: Annotated[
        bool, typer.Option("--standing", help="Only the answers that count: the newest of each reviewer and item.")
    ] = False,
) -> None:
    """All reviews, those that were imported and those that were made here, as a table (CSV) or as JSON lines.

    Example: examboard review export dl19 reviews.csv
    """
    from exam_core.wings.reviews import actions

    store = cli.open_store()
    snapshot = store.snapshot(collection)
    written = _form(file, form)
    if written == "labelstudio":
        raise UsageError(f"{file}: reviews are written as .csv or .jsonl; say with --form which.")
    count = actions.export_reviews(store, snapshot, file, written, only_standing=standing)
    cli.wrote(file, f"{count:,} {'review' if count == 1 else 'reviews'}")


def list_queues(collection: cli.Collection, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The queues of a collection, and how far each reviewer is.

    Example: examboard review list dl19
    """
    from exam_core.wings.reviews.records import QUEUE, progress, queues_of, reviews_of

    store = cli.open_store()
    snapshot = store.snapshot(collection)
    reviews = reviews_of(store, snapshot)
    damaged = [*store.damaged(QUEUE, collection), *reviews.damaged]
    queue_progress = progress(queues_of(store, collection), reviews.rows)
    answer = {"collection": collection, **attributes(queue_progress, "rows", "reviews", "elsewhere"), "notes": damaged}
    footer = [] if len(queue_progress.rows) else [f"{collection} has no queue. Draw one: examboard review queue --help"]
    footer += damaged
    if queue_progress.elsewhere:
        footer.append(
            f"{queue_progress.elsewhere:,} of {queue_progress.reviews:,} reviews belong to no queue of this store."
        )
    rows = queue_progress.rows
    if form is cli.OutputForm.TABLE:
        rows = rows.assign(queue_id=rows["queue_id"].str[:8], created=rows["created"].str[:16])
    cli.print_object(answer, rows, form, footer=footer)


def reviews(file: cli.Source, collection: cli.Into, reviewer: Reviewer = None) -> None:
    """Reviews that people made elsewhere (CSV, JSON, Label Studio's JSON, JSON-MIN or CSV).

    Rows without an answer are left out: nobody has reviewed them yet. The same file again changes nothing.

    Example: examboard import reviews reviews.csv --collection dl19
    """
    from exam_core.wings.reviews import actions

    cli.print_imported(
        import_commands.import_by(actions.import_reviews, "reviews", collection, file, reviewer=reviewer)
    )


app = Commands(cls=Listing, help="Reviews: people check the grader's work.", no_args_is_help=True)
app.command("queue")(draw_queue)
app.command("list")(list_queues)
app.command("import")(import_commands.naming_columns(bring, "reviews"))
app.command("export")(export)
app.command("agreement")(command("review_agreement"))
