"""`examboard doctor`: what this machine has, and what to do about what it lacks."""

from __future__ import annotations

import typer

from exam_core.cli import common as cli


def doctor(form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Check Python, packages, devices, memory and the store.

    Exit status 0: the dashboard can be used, whatever the warnings; 1: it can't.

    Example: examboard doctor
    """
    import pandas as pd

    from exam_core.store import default_store
    from exam_core.wings.doctor.doctor import OK, PROBLEM, Finding, examine

    store = default_store()
    findings = examine(store)
    usable = all(finding.state != PROBLEM for finding in findings)
    rows = pd.DataFrame(findings, columns=list(Finding._fields))
    todo = [f"{result.state}: {result.what}. {result.remedy}" for result in findings if result.state != OK]
    shown = rows.drop(columns="remedy") if form is cli.OutputForm.TABLE else rows
    answer = {"store": str(store), "usable": usable, "rows": rows}
    cli.print_object(answer, shown, form, footer=todo or ["Nothing to do."])
    if not usable:
        raise typer.Exit(1)
