"""A job in a terminal: how far it is, and how it is stopped."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer

from exam_core.cli import common as cli

if TYPE_CHECKING:
    from exam_core.jobs.records import Job, JobProgress

NOT_DONE = 130
"""Exit status of a job that was stopped before it was done."""
OVER_BUDGET = 3
"""Exit status of a job whose budget allows no further prompt."""
PAUSED = 4
"""Exit status of a job that paused because most of its first prompts got no answer that can be read."""
NO_ANSWER = 5
"""Exit status of a job that came to its end without any answer."""
_SPOKEN_EVERY = 30.0


def end(so_far: JobProgress) -> None:
    """Exit with the status of a job that did not come to its end.

    Raises typer.Exit where it was stopped, it paused, its budget ended it, or nothing was answered.
    """
    if so_far.state == "paused":
        raise typer.Exit(PAUSED)
    if so_far.state == "stopped":
        raise typer.Exit(OVER_BUDGET if so_far.over else NOT_DONE)
    if so_far.failed and not so_far.done:
        raise typer.Exit(NO_ANSWER)


@contextmanager
def stopping(job: Job) -> Iterator[Callable[[], bool]]:
    """Ctrl-C and a polite kill stop the job as soon as its answers are kept; a second Ctrl-C at once.

    So does the first one before the job looks whether to stop: until then it loads its model, and has no answers.
    """
    from exam_core.actions import job_control

    is_stopping = has_looked = False

    def stop(signum: int, frame: Any) -> None:
        nonlocal is_stopping
        loading = before[signum]
        if signum == signal.SIGINT and not has_looked and callable(loading):
            loading(signum, frame)
        if (is_stopping or job.stopping) and signum == signal.SIGINT:
            raise KeyboardInterrupt
        is_stopping = True
        with suppress(OSError):  # A full disk holds no wish; this process knows it.
            job_control.stop_job(job)
        cli.say("Stopping; answers are kept. Ctrl-C again stops at once.", err=True)

    def stopped() -> bool:
        nonlocal has_looked
        has_looked = True
        return is_stopping or job.stopping

    before: dict[int, Any] = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def watched(job: Job, total: int, *, doing: str = "Grading", what: str = "grades are missing") -> Iterator[Any]:
    """Show how far a job is: a bar with rate and time left on a terminal, else a line now and then."""
    from exam_core.jobs.records import progress_sentence

    if not sys.stderr.isatty():
        last, tried = time.monotonic(), False

        def line(so_far: JobProgress) -> None:
            nonlocal last, tried
            if time.monotonic() - last >= _SPOKEN_EVERY or (so_far.trying and not tried):
                last, tried = time.monotonic(), tried or bool(so_far.trying)
                cli.say(progress_sentence(so_far), err=True)

        cli.say(f"Job {job.id}: {total:,} {what}.", err=True)
        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn(doing), BarColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("loading the model", total=max(total, 1))
        yield lambda so_far: bars.update(bar, completed=so_far.done, description=progress_sentence(so_far))
