"""`examboard bank generate`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exam_core.cli import common as cli
from exam_core.cli.common import open_store, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.grade_commands import told_lines
from exam_core.cli.running import end, stopping, watched
from exam_core.results import attributes
from exam_core.wings.banks.jobs.generation import GenerationRequest
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.jobs.job_progress import JobProgress
    from exam_core.jobs.records import Job
    from exam_core.wings.banks.actions.bank_generating import GenerationPlan
    from exam_core.wings.banks.jobs.writing_task import WritingTask

# As the help lists them: what people choose first, then how the model is asked.
_FIRST = (
    *("collection", "bank", "prompt", "model", "base_url", "questions", "queries", "plan", "price"),
    *("price_per_million", "reason", "template", "max_output_tokens", "schema", "backend", "device"),
)


@takes_declared(first=_FIRST, leave_out=("samples", "samples_by", "json_schema"))
def generate(request: GenerationRequest, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Have a model write the questions of a bank: a prompt for each query, or for each part of it.

    They are added to the newest version as a new one. Stop it with Ctrl-C, or kill it: run it again to go on.

    Example: examboard bank generate dl19 --bank mine --model gpt-4o-mini --base-url https://api.openai.com/v1
    """
    from exam_core.jobs.records import ordered
    from exam_core.reports.tables import as_json
    from exam_core.wings.banks.actions import bank_generating

    store = open_store()
    request = ordered(store, GenerationRequest) or _with_words(request)
    if request.plan:
        with progress_bar("Planning") as progress:
            planned = bank_generating.plan_generation(store, request, progress=progress)
        cli.say(as_json(asdict(planned)) if form is cli.OutputForm.JSON else "\n".join(plan_lines(planned)))
        return
    job, task = bank_generating.prepare_generation(store, request)
    with stopping(job) as stopped, watched(job, len(task), doing="Writing", what="prompts") as show:
        done = bank_generating.generate_bank(job, task, tell=show, stopped=stopped)
    cli.say(as_json(_as_object(job, task, done)) if form is cli.OutputForm.JSON else "\n".join(_said(task, done)))
    end(done)


def _with_words(request: GenerationRequest) -> GenerationRequest:
    """The request with the words of the file that it names as its prompt."""
    from exam_core.errors import UsageError
    from exam_core.wings.banks.prompts import LONGEST, PROMPTS

    order = request.order
    path = Path(order.prompt)
    if order.template or order.prompt in PROMPTS:
        return request
    if not path.is_file():
        raise UsageError(
            f"--prompt {order.prompt}: is neither one of {', '.join(PROMPTS)}, nor a file with words of your own."
        )
    try:
        with path.open("rb") as file:
            words = file.read(4 * LONGEST + 1).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: can't be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    if not words.strip():
        raise UsageError(f"{path}: is empty. Write the prompt there, with {{query}} for the query.")
    return replace(request, order=replace(order, prompt=path.stem, template=words.strip()))


def plan_lines(plan: GenerationPlan) -> list[str]:
    """A plan in sentences."""
    from exam_core.cli.grade_commands import UNMEASURED
    from exam_core.wording import duration

    replies = "" if plan.reply_tokens is None else f", and {plan.reply_tokens:,} of replies"
    lines = [
        f"{plan.model} writes questions for {plan.collection}, bank {plan.bank}, prompt {plan.prompt}",
        f"  prompts            {plan.prompts:>10,}",
        f"  in the cache       {plan.cached:>10,}",
        f"  equal to another   {plan.repeated:>10,}",
        f"  to be asked        {plan.new:>10,}   about {plan.tokens:,} tokens{replies}",
    ]
    if plan.without_text:
        lines.append(
            f"  {counted({'queries have': plan.without_text})} no text, or no subtopic that the prompt asks for."
        )
    if plan.prompts_per_second and plan.seconds is not None:
        lines.append(f"  {plan.prompts_per_second:,.2f} prompts/s: {duration(plan.seconds)}")
    if plan.cost is not None:
        alone = ", without the replies" if plan.new and plan.reply_tokens is None else ""
        lines.append(f"  cost at the given price: {plan.cost:,.2f}{alone}")
    if plan.new and plan.prompts_per_second is None:
        lines.append(f"  {UNMEASURED}")
    return lines


def _said(task: WritingTask, done: JobProgress) -> list[str]:
    where = f"{task.order.collection}: bank {task.order.bank}"
    if done.state == "stopped":
        return [
            f"{where} stays as it is: stopped after {done.done:,} of {done.total:,} prompts. Their replies are "
            "kept; run it again to go on.",
            *told_lines(done),
        ]
    head = f"{counted({'questions are': done.added})} new in {done.version}" if done.added else "no question is new"
    lines = [f"{where}: {head}, from {done.done:,} prompts, {done.asked:,} asked now"]
    if done.known:
        lines.append(f"  There already, and left as before: {counted({'questions': done.known})}.")
    if done.cut:
        lines.append(f"  {done.cut:,} replies were cut off: raise --max-output-tokens to get the rest.")
    if done.lost:
        lost = ", ".join(f"{reason} {count:,}" for reason, count in sorted(done.lost.items()))
        lines.append(f"  left out of replies: {lost}")
    if done.unreadable:
        lines.append(f"  {done.unreadable:,} replies held no question.")
    lines += told_lines(done)
    if task.without_text:
        lines.append(
            f"  {counted({'queries have': task.without_text})} no text, or no subtopic that the prompt asks for."
        )
    return lines


def _as_object(job: Job, task: WritingTask, done: JobProgress) -> dict[str, Any]:
    told = {"job": job.id, **attributes(task.order, "collection", "bank"), "version": done.version or None}
    told |= {"prompt": task.prompt.name, **attributes(done, "state", "total", "done", "asked", "failed")}
    told |= attributes(done, "failures", "cut", "added", "known", "lost") | {"read_how": done.ways}
    return told | {"without_text": task.without_text, "seconds": done.seconds}
