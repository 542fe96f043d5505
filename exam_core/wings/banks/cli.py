"""`examboard bank`: versions, edits, merging, and questions that a model writes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli import import_commands
from exam_core.cli.analysis_commands import command
from exam_core.cli.common import Commands, Listing, open_store, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.cli.grade_commands import cost_lines
from exam_core.cli.running import end, stopping, watched
from exam_core.errors import UsageError
from exam_core.request import Bank, BankForm
from exam_core.results import attributes
from exam_core.wings.banks.prompts import GenerationRequest
from exam_core.wording import counted, quoted

if TYPE_CHECKING:
    from exam_core.jobs.records import JobProgress
    from exam_core.wings.banks.actions import Edited
    from exam_core.wings.banks.generating import GenerationPlan, WritingTask

# As the help lists them: what people choose first, then how the model is asked.
_FIRST = (
    *("collection", "bank", "prompt", "model", "base_url", "questions", "queries", "plan", "price"),
    *("reason", "template", "max_output_tokens", "schema", "backend", "device"),
)


@takes_declared(first=_FIRST, leave_out=("samples", "samples_by"))
def generate(request: GenerationRequest, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Have a model write the questions of a bank: a prompt for each query, or for each part of it.

    They are added to the newest version as a new one. Stop it with Ctrl-C, or kill it: run it again to go on.

    Example: examboard bank generate dl19 --bank mine --model gpt-4o-mini --base-url https://api.openai.com/v1
    """
    from exam_core.jobs.records import ordered
    from exam_core.table_text import as_json
    from exam_core.wings.banks import generating

    store = open_store()
    request = ordered(store, GenerationRequest) or _with_prompt_of_file(request)
    if request.plan:
        with progress_bar("Planning") as progress:
            planned = generating.plan_generation(store, request, progress=progress)
        cli.say(as_json(asdict(planned)) if form is cli.OutputForm.JSON else "\n".join(plan_lines(planned)))
        return
    job, task = generating.prepare_generation(store, request)
    with stopping(job) as stopped, watched(job, len(task), doing="Writing", what="prompts") as show:
        done = generating.generate_bank(job, task, tell=show, stopped=stopped)
    if form is cli.OutputForm.JSON:
        fields = {"job": job.id, **attributes(task.order, "collection", "bank"), "version": done.version or None}
        fields |= {"prompt": task.prompt.name, **attributes(done, "state", "total", "done", "asked", "failed")}
        fields |= attributes(done, "failures", "cut", "added", "known", "lost") | {"read_how": done.ways}
        cli.say(as_json(fields | {"without_text": task.without_text, "seconds": done.seconds}))
    else:
        cli.say("\n".join(_generation_lines(task, done)))
    end(done)


def _with_prompt_of_file(request: GenerationRequest) -> GenerationRequest:
    """The request with the words of the file that it names as its prompt."""
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


def _generation_lines(task: WritingTask, done: JobProgress) -> list[str]:
    where = f"{task.order.collection}: bank {task.order.bank}"
    if done.state == "stopped":
        return [
            f"{where} stays as it is: stopped after {done.done:,} of {done.total:,} prompts. Their replies are "
            "kept; run it again to go on.",
            *cost_lines(done),
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
    lines += cost_lines(done)
    if task.without_text:
        lines.append(
            f"  {counted({'queries have': task.without_text})} no text, or no subtopic that the prompt asks for."
        )
    return lines


BankName = Annotated[str, typer.Option("--bank", help="Question bank; genq@2 names a version.")]
Why = Annotated[str, typer.Option("--reason", help="Reason, in a few words; kept with the version.")]
Who = Annotated[str, typer.Option("--author", help="Author; by default the account and the machine.")]


@takes_declared()
def list_versions(collection: cli.Collection, bank: Bank = None, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The versions of the question banks: who made each, when, why, and from which version.

    Example: examboard bank list dl19 --bank genq
    """
    from exam_core.wings.banks.versions import version_rows

    rows = version_rows(cli.open_store().snapshot(collection), bank)
    footer = [] if len(rows) else [f"{collection} has no question bank. Add one: examboard import bank --help"]
    cli.print_object(rows, rows, form, footer=footer)


@takes_declared()
def show(
    collection: cli.Collection,
    bank: Bank = None,
    query: Annotated[str | None, typer.Option(help="Questions of this query only.")] = None,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """The questions of a version of a bank.

    Example: examboard bank show dl19 --bank genq@1 --query 1037798
    """
    from exam_core.store.question_banks import find_bank
    from exam_core.store.summary import banks
    from exam_core.wings.banks.versions import question_rows, questions_of, version_rows

    snapshot = cli.open_store().snapshot(collection)
    known = banks(snapshot)
    if bank is None and len(known) != 1:
        raise UsageError(f"--bank: say which. There are: {', '.join(known) or 'none'}.")
    name, version = find_bank(snapshot, known[0] if bank is None else bank)
    questions = [
        question for question in questions_of(snapshot, name, version).values() if query in (None, question.query_id)
    ]
    if not questions:
        raise UsageError(f"{name}@{version} has no question for a query {query}.")
    rows, versions = question_rows(questions), version_rows(snapshot, name)
    (about,) = versions[versions["version"] == version].to_dict("records")
    answer = {str(key): value for key, value in about.items()} | {"rows": rows}
    made = " ".join(filter(None, [about["created"], f"by {about['author']}"]))
    footer = [
        f"{name}@{version}: {counted({'questions': about['questions']})}, {about['enabled']:,} of them on. {made}."
    ]
    cli.print_object(answer, rows, form, footer=[*footer, *([about["reason"]] if about["reason"] else [])])


def diff(
    collection: cli.Collection,
    old: Annotated[str, typer.Argument(help="A version, as genq@1.", show_default=False)],
    new: Annotated[str, typer.Argument(help="Another one, as genq@2; genq is the newest.", show_default=False)],
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Differences between two versions of a bank, question by question.

    Example: examboard bank diff dl19 genq@1 genq@2
    """
    from exam_core.wings.banks.versions import change_rows, changes_between, changes_in_words

    changes = changes_between(cli.open_store().snapshot(collection), old, new)
    rows, text = change_rows(changes), f"From {old} to {new}: {changes_in_words(changes)}."
    answer = {"collection": collection, "old": old, "new": new, "rows": rows, "notes": [text]}
    cli.print_object(answer, rows, form, footer=[text])


def edit(
    collection: cli.Collection,
    file: Annotated[Path, typer.Argument(help="The whole edited bank, in any bank format.", show_default=False)],
    bank: Annotated[str, typer.Option(help="Question bank; genq@1 names the version that was edited.")],
    reason: Why,
    author: Who = "",
) -> None:
    """Make a new version of a bank from a file of the whole edited bank.

    A question with an old id and new words is a rewording: it gets a new id, linked to the old one. If others made a
    version since the edited one, theirs stays, yours is the next, and `bank diff` shows what differs.

    Example: examboard bank edit dl19 genq.jsonl --bank genq@1 --reason "clearer words"
    """
    from exam_core.formats.lines import settled
    from exam_core.formats.sniffing import naming_the_kind
    from exam_core.wings.banks import actions

    with settled(file) as path, naming_the_kind("bank", path, collection):
        done = actions.edit_bank_from_file(cli.open_store(), collection, path, bank=bank, reason=reason, author=author)
    _print_edited(collection, done)


def merge(
    collection: cli.Collection,
    bank: BankName,
    other: Annotated[str, typer.Option("--with", help="Bank whose questions are brought in; genq@1 pins a version.")],
    alike: Annotated[
        float | None, typer.Option(help="Merge questions of one query with at least this similarity, up to 1.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason; by default the name of the merged bank.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; list the matching questions.")] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Bring another bank's questions into a bank: those in the same words are joined, the others added.

    Near-duplicates are named, and with --alike merged: the bank's words stay, with the answers of both.

    Example: examboard bank merge dl19 --bank genq --with nuggets --alike 0.9 --dry-run
    """
    from exam_core.wings.banks import actions
    from exam_core.wings.banks.versions import join_banks, joined_in_words, pair_rows

    store = cli.open_store()
    if dry_run:
        joined = join_banks(store.snapshot(collection), bank, other, alike=alike)
        rows, notes = pair_rows(joined), [*joined_in_words(joined), "Nothing was stored."]
        answer = {"collection": collection, "bank": bank, "with": other, "alike": alike, "rows": rows, "notes": notes}
        cli.print_object(answer, rows, form, footer=notes)
        return
    done = actions.merge_banks(store, collection, bank, other, alike=alike, reason=reason)
    _print_edited(collection, done)


def revert(
    collection: cli.Collection,
    bank: Annotated[str, typer.Argument(help="The version to go back to, as genq@1.", show_default=False)],
    reason: Why,
    author: Who = "",
) -> None:
    """Go back: a new version that is equal to an earlier one. The versions between stay.

    Example: examboard bank revert dl19 genq@1 --reason "the new questions were worse"
    """
    from exam_core.wings.banks import actions

    done = actions.revert_bank(cli.open_store(), collection, bank, reason=reason, author=author)
    _print_edited(collection, done, new=())


def _print_edited(collection: str, done: Edited, *, new: Collection[str] = ("added", "reworded")) -> None:
    """Say what an edit did; `new` are the kinds of changes after which a question has no grades."""
    from exam_core.store.names import BankRef
    from exam_core.wings.banks.versions import changes_in_words

    if done.changed:
        cli.say(f"{collection}: {done.ref} is new: {changes_in_words(done.changes)}.")
    else:
        cli.say(f"{collection}: nothing changed; {done.ref} is equal already.")
    if done.beside:
        theirs = BankRef(done.bank, done.beside)
        differing = f"examboard bank diff {quoted(collection)} {quoted(str(theirs))} {quoted(done.ref)}"
        cli.say(f"  Meanwhile somebody else saved {theirs}, which is kept as well. What differs: {differing}")
    for note in done.notes:
        cli.say(f"  {note}")
    if any(change.how in new for change in done.changes):
        again = f"examboard grade {quoted(collection)} --bank {quoted(done.bank)}"
        cli.say(f"  No run answers a new or reworded question before it is graded: {again}")


def bring(file: cli.Source, collection: cli.Into, bank: Annotated[str, typer.Option(help="Name of the bank.")]) -> None:
    """A question bank in any format, recognised by its content; a changed bank is a new version.

    Workbench, NuggetBank v3, nuggetizer v4, RAGTIME26, rubrics, TQA, SQuAD, CSV, JSON. The same as `import bank`.

    Example: examboard bank import nuggets.jsonl --bank mine --collection dl19
    """
    import_commands.bank(file, collection, bank)


def export(
    collection: cli.Collection,
    file: cli.Target,
    bank: Annotated[str, typer.Option(help="Question bank; genq@2 names a version, by default the newest.")],
    form: Annotated[BankForm, typer.Option(help="Format of the file.")] = "workbench",
) -> None:
    """A version of a question bank as a file for other tools; fields that the format lacks are listed.

    Example: examboard bank export dl19 genq.csv --bank genq --form csv
    """
    from exam_core.store.names import BankRef
    from exam_core.wings.banks import actions

    done = actions.export_bank(cli.open_store().snapshot(collection), BankRef.parse(bank), file, form)
    cli.wrote(file, f"{counted({'questions': done.questions})} of {done.bank}", *(f"  {note}" for note in done.notes))


app = Commands(cls=Listing, help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)
app.command("list")(list_versions)
app.command("show")(show)
app.command("import")(import_commands.naming_columns(bring, "bank"))
app.command("export")(export)
app.command("generate")(generate)
app.command("edit")(edit)
app.command("diff")(diff)
app.command("merge")(merge)
app.command("revert")(revert)
app.command("health")(command("bank_health"))
