"""`examboard grade` and `examboard jobs`."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exam_core.cli import common as cli
from exam_core.cli.common import open_store, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.running import end, stopping, watched
from exam_core.errors import UsageError
from exam_core.jobs.ordering import JobRequest
from exam_core.results import attributes
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.actions.planning import Plan
    from exam_core.jobs.records import Job, JobProgress
    from exam_core.jobs.task import Task
    from exam_core.store import Store

# As the help lists them: what people choose first, then how the model is asked.
_FIRST = (
    *("collection", "bank", "name", "mode", "model", "device", "engine", "limit", "plan", "price"),
    *("backend", "precision", "decoding", "beams", "reading", "unreadable", "verification", "verifier"),
)


UNMEASURED = "No prompt was sent for this plan, so the speed isn't known. Ask a few first, and plan again."


@takes_declared(first=_FIRST)
def grade(request: JobRequest, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Grade what is missing: every passage on every question of its query, or as a whole.

    Stop it with Ctrl-C, or kill it: run it again to go on. Nothing is graded twice.

    Example: examboard grade dl19 --bank genq --grader self-rating --model google/flan-t5-large
    """
    from exam_core.actions import grading_jobs, planning
    from exam_core.jobs.ordering import is_lexical
    from exam_core.jobs.records import ordered
    from exam_core.table_text import as_json

    store = open_store()
    request = ordered(store, JobRequest) or request
    request = replace(request, order=planning.with_mode(store, request.order))
    if is_lexical(request.order):
        _lexically(store, request, form)
        return
    if request.plan:
        with progress_bar("Planning") as progress:
            planned = planning.plan_job(store, request, progress=progress)
        cli.say(as_json(asdict(planned)) if form is cli.OutputForm.JSON else "\n".join(plan_lines(planned)))
        return
    job, task = grading_jobs.prepare_job(store, request)
    with stopping(job) as stopped, watched(job, len(task)) as show:
        done = grading_jobs.run_job(job, task, tell=show, stopped=stopped)
    cli.say(as_json(_as_object(job, task, done)) if form is cli.OutputForm.JSON else _outcome(job, task, done))
    end(done)


def _lexically(store: Store, request: JobRequest, form: cli.OutputForm) -> None:
    """Grade at once, or say what would be graded."""
    from exam_core.actions import lexical
    from exam_core.analysis.choosing import grader_id
    from exam_core.grading.modes.lexical_grader import GRADER_ID
    from exam_core.table_text import as_json

    order = request.order
    with progress_bar("Comparing words") as progress:
        planned = lexical.plan_lexically(store, order) if request.plan else None
        done = None if planned else lexical.grade_lexically(store, order, progress=progress)
    if planned:
        cli.say(as_json(asdict(planned)) if form is cli.OutputForm.JSON else "\n".join(plan_lines(planned)))
    elif done and form is cli.OutputForm.JSON:
        cli.say(as_json({"collection": order.collection, "grader": GRADER_ID} | asdict(done)))
    elif done:
        nothing = _nothing(order.collection, done.graded, done.without_text)
        outcome = f"{counted({'grades': done.done})} by shared words" if done.done else nothing
        cli.say(f"{order.collection}: {GRADER_ID}: {outcome}")
        if grader_id(store.snapshot(order.collection), "lexical") == GRADER_ID:
            cli.say(f"  Use them with --grader {GRADER_ID}, or --grader lexical in short.")


def _nothing(collection: str, graded: int, without_text: int) -> str:
    """That nothing is left to grade."""
    rest = f", but {_textless(collection, without_text)}" if without_text else "."
    return f"nothing to grade; all {counted({'grades are': graded})} there{rest}"


def _textless(collection: str, count: int) -> str:
    from exam_core.wording import texts_come

    return f"{counted({'passages have': count})} no text and can't be graded. {texts_come(collection)}"


def plan_lines(plan: Plan) -> list[str]:
    """A plan in sentences."""
    name = f"{plan.grader} on {plan.collection}" + (f", bank {plan.bank}" if plan.bank else "")
    lines = [
        name,
        f"  graded already     {plan.graded:>10,}",
        f"  missing            {plan.missing:>10,}   {plan.first:,} of them for passages in the first 20 of some run",
        *asking_lines(plan),
    ]
    if plan.without_text:
        lines.append(f"  {_textless(plan.collection, plan.without_text)}")
    return lines


def asking_lines(plan: Plan) -> list[str]:
    """What of a plan says how many prompts a model must answer, for how long and at what price."""
    from exam_core.jobs.records import amount
    from exam_core.wording import duration

    lines = [
        f"  in the cache       {plan.cached:>10,}",
        f"  equal to another   {plan.repeated:>10,}",
        f"  to be asked        {plan.new:>10,}   about {plan.tokens:,} tokens"
        + ("" if plan.answer_tokens is None else f", and {plan.answer_tokens:,} of answers"),
    ]
    if plan.cut_share:
        lines.append(f"  {plan.cut_share:.1%} of the prompts are longer than the model reads; their passage is cut.")
    where = "on this machine" if plan.workers is None else f"with {counted({'workers': plan.workers})}"
    if plan.prompts_per_second and plan.seconds is not None:
        lines.append(f"  {plan.prompts_per_second:,.1f} prompts/s {where}: {duration(plan.seconds)}")
    unmeasured = plan.new > 0 and plan.prompts_per_second is None
    if plan.cost is not None:
        alone = ", without the answers" if unmeasured and plan.answer_tokens is None else ""
        lines.append(f"  cost at the given price: {amount(plan.cost)}{alone}")
    if unmeasured:
        lines.append(f"  {UNMEASURED}")
    return lines


def _outcome(job: Job, task: Task, done: JobProgress) -> str:
    """What the job did, in sentences."""
    from exam_core.readings.reasons import HELP, by_count

    where = f"{task.order.collection}: {task.grader}"
    if not done.total:
        textless = int(task.work.pairs["passage_text"].isna().sum())
        return f"{where}: {_nothing(task.order.collection, task.work.graded, textless)}"
    cached = done.done - done.asked
    lines = [f"{where}: {counted({'grades': done.done})}, {counted({'prompts': done.asked})} answered now"]
    if cached > 0:
        lines[0] += f", {cached:,} from the cache or equal to others"
    if done.asked:
        lines.append(f"  {done.rate:,.1f} prompts/s")
    if done.unreadable:
        lines.append(f"  {done.unreadable:,} answers can't be read and have no grade; see them on the page Grading.")
    if done.filled:
        rule = task.order.unreadable
        filled = counted({"answers are": done.filled})
        lines.append(f"  {filled} no grade and have one by the rule --unreadable {rule}.")
    if done.state == "paused":
        return f"{where}: {done.message}"
    lines += [f"    {count:>8,} {reason}: {HELP[reason]}" for reason, count in by_count(done.unread)]
    if done.cut:
        lines.append(f"  {counted({'passages were': done.cut})} cut to fit the model.")
    lines += cost_lines(done)
    if done.reasons:
        lines.append(f"  List them with: examboard jobs --missing {job.id}")
    if done.state == "stopped" and not done.over:
        lines.append(f"  Stopped before the end: {done.total - done.done:,} still missing. Run it again to go on.")
    return "\n".join(lines)


def cost_lines(done: JobProgress) -> list[str]:
    """Missing answers with their reasons, tokens and money of a job, in sentences."""
    from exam_core.grading.failures import missing_sentences
    from exam_core.jobs.records import price_words

    lines = []
    if done.failed:
        lines.append(f"  {done.failed:,} got no answer; run the command again to ask them again.")
        lines += [f"    {sentence}" for sentence in missing_sentences(done.reasons, done.examples)]
    if done.prompt_tokens is not None:
        price = "" if done.spent is None else f": {price_words(done)}"
        lines.append(f"  {done.prompt_tokens:,} tokens sent, {done.answer_tokens or 0:,} answered{price}")
    lines += [f"  {note}" for note in done.notes]
    if done.over:
        lines.append(f"  {done.message}")
    return lines


def _as_object(job: Job, task: Task, done: JobProgress) -> dict[str, Any]:
    return {
        "job": job.id,
        "collection": task.order.collection,
        "bank": task.bank,
        "grader": task.grader,
        "state": done.state,
        "graded_before": task.work.graded,
        **attributes(done, "total", "done", "asked", "unreadable", "filled"),
        "unreadable_reasons": done.unread,
        **attributes(done, "message", "cut", "failed", "reasons", "prompt_tokens", "answer_tokens", "spent"),
        **attributes(done, "server_cut", "notes"),
        "prompts_per_second": done.rate or None,
        "seconds": done.seconds,
    }


_WIDTH = 100
_NONE = "There are no jobs. `examboard grade COLLECTION` starts one."


def jobs(
    stop: Annotated[str | None, typer.Option(help="Stop this job; its answers are kept.")] = None,
    log: Annotated[str | None, typer.Option(help="Print the log of this job.")] = None,
    cancel: Annotated[
        str | None, typer.Option(help="End this job's batches at the server; the next such job takes their answers.")
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

    from exam_core.actions import job_control, undoing
    from exam_core.jobs import records
    from exam_core.jobs.records import RUNNING

    store = open_store()
    if stop:
        stopping_job = records.job(store, stop)
        if (state := stopping_job.progress().state) not in RUNNING:
            raise UsageError(f"Job {stop} does not run; it is {state}.")
        job_control.stop_job(stopping_job)
        cli.say(f"{stop} stops as soon as its answers are kept.")
        return
    if cancel:
        count = undoing.cancel_batches(store, records.job(store, cancel))
        cli.say(f"Batches that the server was asked to end: {count}. Their answers so far can still be fetched.")
        return
    if log:
        cli.say(records.job(store, log).log)
        return
    if missing:
        rows, names = records.job(store, missing).missing(), ["query_id", "doc_id", "question_id", "reason", "said"]
    elif form is cli.OutputForm.TABLE:
        cli.say("\n".join(line for job in records.jobs(store) for line in _lines(job)) or _NONE)
        return
    else:
        rows = [records.as_row(job) for job in records.jobs(store)]
        names = list(rows[0]) if rows else ["job", "state", "done", "total"]
    cli.print_object(rows, pd.DataFrame(rows, columns=names), form)


def _lines(job: Job) -> list[str]:
    """What is to be said of a job, below its name and state."""
    from exam_core.jobs.records import as_row, progress_sentence

    row, so_far = as_row(job), job.progress()
    sentences = dict.fromkeys([progress_sentence(so_far) if so_far.total else "", row["why"], row["message"]])
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, _WIDTH, break_long_words=False)]
    return [f"{row['job']}  {row['state']}", *(f"  {line}" for line in (*lines, row["command"]) if line)]
