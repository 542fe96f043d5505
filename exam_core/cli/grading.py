"""`examboard grade` and `examboard jobs`."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core import actions
from exam_core.cli import common as cli
from exam_core.cli.common import Collection, open_store, progress_bar
from exam_core.errors import UsageError

if TYPE_CHECKING:
    from exam_core.actions import Plan
    from exam_core.jobs.progress import Progress
    from exam_core.jobs.records import Job
    from exam_core.jobs.task import Task

NOT_DONE = 130
"""Exit status of a job that was stopped before it was done."""
_SPOKEN_EVERY = 30.0


class Backend(StrEnum):
    """What runs the model."""

    T5 = "t5"
    CTRANSLATE2 = "ctranslate2"
    OPENAI = "openai"


class Engine(StrEnum):
    """Where it runs."""

    LOCAL = "local"
    RAY = "ray"


class Device(StrEnum):
    """On what it runs."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class Precision(StrEnum):
    """Numbers that it computes with."""

    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    INT8 = "int8"


class Decoding(StrEnum):
    """How an answer is found."""

    BEAMS = "beams"
    SCORED = "scored"


class UnreadableRule(StrEnum):
    """What an answer counts that is no grade."""

    NULL = "null"
    PAPER = "paper"
    AUTHORS = "authors"


def grade(
    context: typer.Context,
    collection: Collection,
    bank: cli.Bank = None,
    grader: Annotated[
        str | None,
        typer.Option(help="Grading mode, see docs/grading.md; with --mode: the name that the grades get."),
    ] = None,
    mode: Annotated[str | None, typer.Option(help="Grading mode, where --grader is a name; else self-rating.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Model: a folder or the hub's name; by default the papers' for this mode.")
    ] = None,
    device: Annotated[Device, typer.Option(help="What to compute on.")] = Device.AUTO,
    engine: Annotated[Engine, typer.Option(help="This machine, or a Ray cluster.")] = Engine.LOCAL,
    limit: Annotated[int | None, typer.Option(min=1, help="Grade at most so many.")] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be done, how long and at what price.")] = False,
    price: Annotated[float | None, typer.Option(min=0, help="Price of an hour of this machine, for the plan.")] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            help="Ask a sample both ways: greedy, beams=N, scored, bf16, tf32, ctranslate2, int8, or a model."
        ),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Prompts to compare on.")] = 200,
    backend: Annotated[Backend, typer.Option(help="What runs the model.")] = Backend.T5,
    precision: Annotated[Precision, typer.Option(help="Only fp32 gives the authors' grades.")] = Precision.FP32,
    decoding: Annotated[
        Decoding, typer.Option(help="Search, or compare the six ratings in one step.")
    ] = Decoding.BEAMS,
    beams: Annotated[int, typer.Option(min=1, max=64, help="Width of the search; 1 is greedy.")] = 5,
    unreadable: Annotated[
        UnreadableRule, typer.Option(help="An answer that is no grade: none, or as in the papers, or in their code.")
    ] = UnreadableRule.NULL,
    verification: Annotated[
        str | None, typer.Option(help="words or words-authors: compare as the papers say, or as the authors' code.")
    ] = None,
    verifier: Annotated[str | None, typer.Option(help="Model that verifies answers, in the -llm modes.")] = None,
    max_tokens: Annotated[int, typer.Option(min=32, help="Length of a prompt; the passage is cut to fit.")] = 512,
    batch_tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens in a batch; by default as the device.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Workers of a Ray cluster; by default all devices.")
    ] = None,
    base_url: Annotated[
        str,
        typer.Option(
            help="Address of an OpenAI-compatible server. OPENAI_API_KEY is sent to the one that OPENAI_BASE_URL names "
            "alone, by default OpenAI's."
        ),
    ] = "",
    concurrency: Annotated[int, typer.Option(min=1, help="Requests at once to the server.")] = 8,
    requests_per_minute: Annotated[float | None, typer.Option(min=0.1, help="The server's limit.")] = None,
    tokens_per_minute: Annotated[float | None, typer.Option(min=1, help="The server's limit.")] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Grade what is missing: every passage on every question of its query, or as a whole.

    Stop it with Ctrl-C, or kill it: run it again to go on. Nothing is graded twice.

    Example: examboard grade dl19 --bank genq --grader self-rating --model google/flan-t5-large
    """
    from exam_core.grading.modes.papers import MODES
    from exam_core.grading.options import Options
    from exam_core.jobs.comparing import compare as compared
    from exam_core.jobs.order import Order
    from exam_core.reports.tables import as_json

    chosen, name = _mode_and_name(grader, mode, list(MODES))
    options = Options(
        model=model or (MODES[chosen].model if chosen in MODES else ""),
        backend=backend.value,
        engine=engine.value,
        device=device.value,
        precision=precision.value,
        decoding=decoding.value,
        beams=beams,
        max_tokens=max_tokens,
        batch_tokens=batch_tokens,
        workers=workers,
        base_url=base_url,
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
    )
    order = Order(
        collection,
        chosen,
        options,
        bank=bank,
        name=name,
        unreadable=unreadable.value,
        verification=verification,
        verifier=Options(model=verifier, device=device.value) if verifier else None,
        limit=limit,
    )
    store = open_store()
    if compare:
        with progress_bar("Comparing") as progress:
            answer = compared(store, order, compare, sample=sample, progress=progress)
        _print_compared(answer, form)
        return
    if plan:
        with progress_bar("Planning") as progress:
            planned = actions.plan_job(store, order, price_per_hour=price, progress=progress)
        cli.say(as_json(asdict(planned)) if form is cli.Form.JSON else "\n".join(plan_lines(planned)))
        return
    job, task = actions.prepare_job(store, order, _arguments(context))
    with _stopping(job) as stopped, _watched(job, len(task)) as show:
        done = actions.run_job(job, task, tell=show, stopped=stopped)
    cli.say(as_json(_as_object(job, task, done)) if form is cli.Form.JSON else _said(task, done))
    if done.state == "stopped":
        raise typer.Exit(NOT_DONE)


def _mode_and_name(grader: str | None, mode: str | None, modes: list[str]) -> tuple[str, str | None]:
    """`--grader` names a mode; where it does not, or `--mode` does, it is the name that the grades get."""
    if mode is None and grader in modes:
        return str(grader), None
    return mode or "self-rating", grader


def _arguments(context: typer.Context) -> list[str]:
    """What was asked for as arguments of a command line, defaults left out."""
    arguments: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if value is None or value == parameter.get_default(context) or parameter.name == "help":
            continue
        if parameter.param_type_name == "argument":
            arguments.insert(0, str(value))
        else:
            arguments += [max(parameter.opts, key=len), *([] if value is True else [str(value)])]
    return arguments


@contextmanager
def _stopping(job: Job) -> Iterator[Callable[[], bool]]:
    """Ctrl-C and a polite kill stop the job as soon as its answers are kept; a second Ctrl-C at once."""
    told = False

    def asked(signum: int, _frame: Any) -> None:
        nonlocal told
        if (told or job.stopping) and signum == signal.SIGINT:
            raise KeyboardInterrupt
        told = True
        with suppress(OSError):  # A full disk holds no wish; this process knows it.
            actions.stop_job(job)
        cli.say("Stopping; what is answered is kept. Ctrl-C again stops at once.", err=True)

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: told or job.stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _watched(job: Job, total: int) -> Iterator[Any]:
    """Show how far it is: a bar with rate and time left on a terminal, else a line now and then."""
    from exam_core.jobs.progress import progress_sentence

    if not sys.stderr.isatty():
        last = time.monotonic()

        def line(so_far: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= _SPOKEN_EVERY:
                last = time.monotonic()
                cli.say(progress_sentence(so_far), err=True)

        cli.say(f"Job {job.id}: {total:,} grades are missing.", err=True)
        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("Grading"), BarColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("loading the model", total=max(total, 1))
        yield lambda so_far: bars.update(bar, completed=so_far.done, description=progress_sentence(so_far))


def plan_lines(plan: Plan) -> list[str]:
    """A plan in sentences."""
    from exam_core.wording import duration

    asked = f"{plan.grader} on {plan.collection}" + (f", bank {plan.bank}" if plan.bank else "")
    lines = [
        asked,
        f"  graded already     {plan.graded:>10,}",
        f"  missing            {plan.missing:>10,}   of these {plan.first:,} of passages among some run's first 20",
        f"  in the cache       {plan.cached:>10,}",
        f"  equal to another   {plan.repeated:>10,}",
        f"  to be asked        {plan.new:>10,}   about {plan.tokens:,} tokens",
    ]
    if plan.without_text:
        lines.append(f"  {plan.without_text:,} passages have no text and can't be graded.")
    if plan.cut_share:
        lines.append(f"  {plan.cut_share:.1%} of the prompts are longer than the model reads; their passage is cut.")
    if plan.prompts_per_second and plan.seconds is not None:
        lines.append(f"  {plan.prompts_per_second:,.1f} prompts/s on this machine: {duration(plan.seconds)}")
    if plan.cost is not None:
        lines.append(f"  cost at the given price: {plan.cost:,.2f}")
    return lines


def _said(task: Task, done: Progress) -> str:
    """What the job did, in sentences."""
    where = f"{task.order.collection}: {task.grader}"
    if not done.total:
        return f"{where}: nothing to grade; all {task.work.graded:,} grades are there."
    cached = done.done - done.asked
    lines = [f"{where}: {done.done:,} grades, {done.asked:,} prompts answered now"]
    if cached > 0:
        lines[0] += f", {cached:,} from the cache or equal to others"
    if done.asked:
        lines.append(f"  {done.rate:,.1f} prompts/s")
    if done.unreadable:
        lines.append(f"  {done.unreadable:,} answers can't be read and have no grade; see them on the page Grading.")
    if done.cut:
        lines.append(f"  {done.cut:,} passages were cut to fit the model.")
    if done.failed:
        lines.append(f"  {done.failed:,} got no answer; run the command again to ask them again.")
    if done.state == "stopped":
        lines.append(f"  Stopped before the end: {done.total - done.done:,} are missing. Run it again to go on.")
    return "\n".join(lines)


def _as_object(job: Job, task: Task, done: Progress) -> dict[str, Any]:
    return {
        "job": job.id,
        "collection": task.order.collection,
        "bank": task.bank,
        "grader": task.grader,
        "state": done.state,
        "graded_before": task.work.graded,
        "total": done.total,
        "done": done.done,
        "asked": done.asked,
        "unreadable": done.unreadable,
        "cut": done.cut,
        "failed": done.failed,
        "prompts_per_second": done.rate or None,
        "seconds": done.seconds,
    }


def _print_compared(answer: dict[str, Any], form: cli.Form) -> None:
    import pandas as pd

    names = ["question_id", "query_id", "doc_id", "answers", "grades", "margin"]
    share = answer["answers_differ"] / answer["sample"]
    footer = [
        f"{answer['answers_differ']:,} of {answer['sample']:,} answers differ ({share:.1%}), "
        f"{answer['grades_differ']:,} grades; {answer['near_ties']:,} answers of the first are near ties."
    ]
    cli.print_object(answer, pd.DataFrame(answer["examples"], columns=names), form, footer=footer)


def jobs(
    stop: Annotated[str | None, typer.Option(help="Ask this job to stop; what it did is kept.")] = None,
    log: Annotated[str | None, typer.Option(help="Print what this job said.")] = None,
    form: cli.FormatOption = cli.Form.TABLE,
) -> None:
    """Grading jobs of this store, newest first, with how far they are.

    Example: examboard jobs --stop 20260131-101500-1f3a
    """
    import pandas as pd

    from exam_core.jobs import records
    from exam_core.jobs.progress import RUNNING

    store = open_store()
    if stop:
        found = records.job(store, stop)
        if found.progress().state not in RUNNING:
            raise UsageError(f"Job {stop} does not run; it is {found.progress().state}.")
        actions.stop_job(found)
        cli.say(f"{stop} stops as soon as its answers are kept.")
        return
    if log:
        cli.say(records.job(store, log).log)
        return
    rows = [records.as_row(found) for found in records.jobs(store)]
    names = list(rows[0]) if rows else ["job", "state", "done", "total"]
    cli.print_object(rows, pd.DataFrame(rows, columns=names), form)
