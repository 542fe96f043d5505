"""`examboard bank list|show|diff|edit|merge|revert`: versions of question banks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exam_core.asked import Bank
from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.errors import UsageError
from exam_core.store.names import BankRef
from exam_core.wording import counted, quoted

if TYPE_CHECKING:
    from exam_core.store import Snapshot
    from exam_core.wings.banks.actions.banking import Edited

BankName = Annotated[str, typer.Option("--bank", help="Question bank; genq@2 names a version.")]
Why = Annotated[str, typer.Option("--reason", help="Reason, in a few words; kept with the version.")]
Who = Annotated[str, typer.Option("--author", help="Author; by default the account and the machine.")]


@takes_declared()
def list_versions(collection: cli.Collection, bank: Bank = None, form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The versions of the question banks: who made each, when, why, and from which version.

    Example: examboard bank list dl19 --bank genq
    """
    from exam_core.wings.banks.analysis.versions import version_rows

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
    from exam_core.wings.banks.analysis.versions import question_rows, questions_of, version_rows

    snapshot = cli.open_store().snapshot(collection)
    name, version = find_bank(snapshot, _only_bank(snapshot) if bank is None else bank)
    questions = [one for one in questions_of(snapshot, name, version).values() if query in (None, one.query_id)]
    if not questions:
        raise UsageError(f"{name}@{version} has no question for a query {query}.")
    rows, versions = question_rows(questions), version_rows(snapshot, name)
    (told,) = versions[versions["version"] == version].to_dict("records")
    answer = {str(key): value for key, value in told.items()} | {"rows": rows}
    made = " ".join(filter(None, [told["created"], f"by {told['author']}"]))
    footer = [f"{name}@{version}: {counted({'questions': told['questions']})}, {told['enabled']:,} of them on. {made}."]
    cli.print_object(answer, rows, form, footer=[*footer, *([told["reason"]] if told["reason"] else [])])


def diff(
    collection: cli.Collection,
    old: Annotated[str, typer.Argument(help="A version, as genq@1.", show_default=False)],
    new: Annotated[str, typer.Argument(help="Another one, as genq@2; genq is the newest.", show_default=False)],
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Differences between two versions of a bank, question by question.

    Example: examboard bank diff dl19 genq@1 genq@2
    """
    from exam_core.wings.banks.analysis.versions import change_rows, changes_between, changes_in_words

    changes = changes_between(cli.open_store().snapshot(collection), old, new)
    rows, said = change_rows(changes), f"From {old} to {new}: {changes_in_words(changes)}."
    answer = {"collection": collection, "old": old, "new": new, "rows": rows, "notes": [said]}
    cli.print_object(answer, rows, form, footer=[said])


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
    from exam_core.wings.banks.actions import banking

    with settled(file) as path, naming_the_kind("bank", path, collection):
        done = banking.edit_bank_from_file(cli.open_store(), collection, path, bank=bank, reason=reason, author=author)
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
    from exam_core.wings.banks.actions import banking
    from exam_core.wings.banks.analysis.versions import join_banks, joined_in_words, pair_rows

    store = cli.open_store()
    if dry_run:
        found = join_banks(store.snapshot(collection), bank, other, alike=alike)
        rows, notes = pair_rows(found), [*joined_in_words(found), "Nothing was stored."]
        answer = {"collection": collection, "bank": bank, "with": other, "alike": alike, "rows": rows, "notes": notes}
        cli.print_object(answer, rows, form, footer=notes)
        return
    done = banking.merge_banks(store, collection, bank, other, alike=alike, reason=reason)
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
    from exam_core.wings.banks.actions import banking

    done = banking.revert_bank(cli.open_store(), collection, bank, reason=reason, author=author)
    _print_edited(collection, done, new=())


def _only_bank(snapshot: Snapshot) -> str:
    from exam_core.store.summary import banks

    known = banks(snapshot)
    if len(known) == 1:
        return known[0]
    raise UsageError(f"--bank: say which. There are: {', '.join(known) or 'none'}.")


def _print_edited(collection: str, done: Edited, *, new: Collection[str] = ("added", "reworded")) -> None:
    """Say what an edit did.

    Parameters
    ----------
    new : how questions change that have no grades then
    """
    from exam_core.wings.banks.analysis.versions import changes_in_words

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
