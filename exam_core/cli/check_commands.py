"""`examboard check`, `clean` and `backup`: whether the store is as it was written, what nobody needs, and a copy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from exam_core.cli import common as cli
from exam_core.wording import counted

SOUND = "Everything is as it was written."
_COLUMNS = ("collection", "file", "problem", "consequence", "remedy")


def check(
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Set damaged files aside, so that all others can be read; no file is deleted."),
    ] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Check every file of the store against its hash, and every record against the files that it lists.

    Exit status 0: all is sound; 1: something is or was damaged, with its consequences and remedies.

    Example: examboard check
    """
    import pandas as pd

    from exam_core.actions import repairing
    from exam_core.jobs.records import damaged_jobs
    from exam_core.store import checking

    store = cli.open_store()
    with cli.progress_bar("Reading") as progress:
        if repair:
            repaired = repairing.repair(store, progress=progress)
            reports, paths = repaired.checked, repaired.moved
        else:
            reports, paths = checking.check(store, progress, damaged_jobs(store)), []
    records = [
        {
            "collection": checked.collection,
            "sound": not checked.problems,
            "problems": [problem.told for problem in checked.problems],
        }
        for checked in reports
    ]
    answer: dict[str, Any] = {"collections": records} | ({"set_aside": [str(path) for path in paths]} if repair else {})
    rows = [{"collection": checked.collection} | problem.told for checked in reports for problem in checked.problems]
    footer = [f"Set aside: {path}" for path in paths] if rows else [SOUND, *checking.about_former(store)]
    cli.print_object(answer, pd.DataFrame(rows, columns=list(_COLUMNS)), form, footer=footer)
    if rows:
        raise typer.Exit(1)


def clean(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Remove files of the store that nothing lists and that are older than a day.

    Killed processes and undone imports leave such files. Files set aside as damaged stay.

    Example: examboard clean --dry-run
    """
    import pandas as pd

    from exam_core.actions import repairing

    store = cli.open_store()
    rests = repairing.rests(store) if dry_run else repairing.clean(store)
    rows = [{"file": str(rest.path), "bytes": rest.bytes} for rest in rests]
    size = f"{counted({'files': len(rows)})}, {sum(rest.bytes for rest in rests) / 2**20:,.1f} MiB"
    footer = [f"{size} would be removed." if dry_run else f"{size} removed." if rows else "There is nothing to remove."]
    cli.print_object(
        {"removed": not dry_run, "rows": rows}, pd.DataFrame(rows, columns=["file", "bytes"]), form, footer=footer
    )


def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder, outside of the store.")],
    form: cli.FormatOption = cli.OutputForm.TABLE,
) -> None:
    """Copy the store into a new folder, while others may write to it.

    The copy is a store: examboard --store FOLDER check

    Example: examboard backup copies/monday
    """
    import pandas as pd

    from exam_core.actions import repairing

    with cli.progress_bar("Copying") as progress:
        size = repairing.back_up(cli.open_store(), folder, progress=progress)
    answer = {"folder": str(folder), "bytes": size}
    footer = [f"{size / 2**20:,.1f} MiB copied."]
    cli.print_object(answer, pd.DataFrame([answer]), form, footer=footer)
