"""`examboard bank ...`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.cli import import_commands
from exam_core.cli.analysis_commands import command
from exam_core.cli.help_text import Commands, Listing
from exam_core.wings.banks.bank_forms import BankForm
from exam_core.wings.banks.cli import bank_generate_command, bank_versions
from exam_core.wording import counted


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
    from exam_core.wings.banks.actions import exporting_banks

    done = exporting_banks.export_bank(cli.open_store().snapshot(collection), BankRef.parse(bank), file, form)
    cli.wrote(file, f"{counted({'questions': done.questions})} of {done.bank}", *(f"  {note}" for note in done.notes))


app = Commands(cls=Listing, help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)
app.command("list")(bank_versions.list_versions)
app.command("show")(bank_versions.show)
app.command("import")(bring)
app.command("export")(export)
app.command("generate")(bank_generate_command.generate)
app.command("edit")(bank_versions.edit)
app.command("diff")(bank_versions.diff)
app.command("merge")(bank_versions.merge)
app.command("revert")(bank_versions.revert)
app.command("health")(command("bank_health"))
