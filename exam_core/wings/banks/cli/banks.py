"""`examboard bank ...`."""

from __future__ import annotations

from exam_core.cli.analysis_commands import command
from exam_core.cli.help_text import Commands, Listing
from exam_core.wings.banks.cli import bank_files, bank_generating, bank_versions

app = Commands(cls=Listing, help="Question banks: make, bring, look at, edit, compare.", no_args_is_help=True)
app.command("list")(bank_versions.list_versions)
app.command("show")(bank_versions.show)
app.command("import")(bank_files.bring)
app.command("export")(bank_files.export)
app.command("generate")(bank_generating.generate)
app.command("edit")(bank_versions.edit)
app.command("diff")(bank_versions.diff)
app.command("merge")(bank_versions.merge)
app.command("revert")(bank_versions.revert)
app.command("health")(command("bank_health"))
