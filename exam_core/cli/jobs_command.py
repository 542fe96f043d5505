"""`examboard jobs`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import open_store
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.jobs.records import Job

_WIDTH = 100
_NONE = "There are no jobs. `examboard grade COLLECTION` starts one."


def jobs(
    stop: Annotated[str | None, typer.Option(help="Stop this job; its answers are kept.")] = None,
    log: Annotated[str | None, typer.Option(help="Print the log of this job.")] = None,
    cancel: Annotated[
        str | None,
        typer.Option(help="End this job's batches at the server; the next such job takes their answers."),
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="List the prompts of this job without an answer, with reasons.")
    ] = None,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Grading jobs of this store, newest first, with how far they are.

    Example: examboard jobs --stop 20260131-101500-1f3a
    """
    import pandas as pd

    from exam_core.actions import batching, job_control
    from exam_core.jobs import records
    from exam_core.jobs.job_progress import RUNNING

    store = open_store()
    if stop:
        found = records.job(store, stop)
        if found.progress().state not in RUNNING:
            raise UsageError(f"Job {stop} does not run; it is {found.progress().state}.")
        job_control.stop_job(found)
        cli.say(f"{stop} stops as soon as its answers are kept.")
        return
    if cancel:
        count = batching.cancel_batches(store, records.job(store, cancel))
        cli.say(f"Batches that the server was asked to end: {count}. Their answers so far can still be fetched.")
        return
    if log:
        cli.say(records.job(store, log).log)
        return
    if missing:
        rows, names = records.job(store, missing).missing(), ["query_id", "doc_id", "question_id", "reason", "said"]
    elif form is cli.OutputForm.TABLE:
        cli.say("\n".join(line for found in records.jobs(store) for line in _lines(found)) or _NONE)
        return
    else:
        rows = [records.as_row(found) for found in records.jobs(store)]
        names = list(rows[0]) if rows else ["job", "state", "done", "total"]
    cli.print_object(rows, pd.DataFrame(rows, columns=names), form)


def _lines(found: Job) -> list[str]:
    """What is to be said of a job, below its name and state."""
    from exam_core.jobs.job_progress import progress_sentence
    from exam_core.jobs.records import as_row

    row, so_far = as_row(found), found.progress()
    said = [progress_sentence(so_far) if so_far.total else "", f"{row['why']}", f"{row['message']}"]
    told = [line for one in dict.fromkeys(said) for line in textwrap.wrap(one, _WIDTH, break_long_words=False)]
    return [f"{row['job']}  {row['state']}", *(f"  {line}" for line in (*told, row["command"]) if line)]
