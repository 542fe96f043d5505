"""`examboard doctor`: what this machine has, and what to do about what it lacks."""

from __future__ import annotations

import typer

from exam_core.cli import common as cli


def doctor(form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """Check Python, packages, devices, memory, models, network and the store.

    Exit status 0: the dashboard can be used, whatever the warnings; 1: it can't.

    Example: examboard doctor
    """
    import pandas as pd

    from exam_core.store import default_store
    from exam_core.wings.doctor.doctor import State, examine, is_usable

    store = default_store()
    findings = examine(store)
    rows = pd.DataFrame(
        [(found.what, found.state.value, found.finding) for found in findings], columns=["what", "state", "finding"]
    ).assign(remedy=[found.remedy for found in findings])
    answer = {"store": str(store), "usable": is_usable(findings), "rows": rows}
    todo = [f"{found.state.value}: {found.what}. {found.remedy}" for found in findings if found.state is not State.OK]
    shown = rows.drop(columns="remedy") if form is cli.OutputForm.TABLE else rows
    cli.print_object(answer, shown, form, footer=todo or ["Nothing to do."])
    if not is_usable(findings):
        raise typer.Exit(1)
