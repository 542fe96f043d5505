"""`examboard reproduce`."""

from __future__ import annotations

from exam_core.cli import common as cli
from exam_core.cli.declared_options import takes_declared
from exam_core.request import Bank, Grader
from exam_core.results import attributes


@takes_declared()
def reproduce(
    collection: cli.Collection, bank: Bank = None, grader: Grader = None, form: cli.FormatOption = cli.OutputForm.TABLE
) -> None:
    """Every figure that the papers print of a collection, beside ours, with the known reason where they differ.

    The collection is recognised by the names of its runs. A figure reproduces if ours rounds to the printed digits.

    Example: examboard reproduce car-y3-published --format csv
    """
    from exam_core.wings.reproduction.reproduction import reproduction
    from exam_core.wings.reproduction.slides import table_rows

    with cli.progress_bar("Computing the papers' figures") as progress:
        result = reproduction(cli.open_store().snapshot(collection), bank=bank, grader=grader, progress=progress)
    rows = table_rows(result) if form is cli.OutputForm.TABLE else result.rows
    reasons = [f"[{number}] {reason} ({source})" for number, (reason, source) in enumerate(result.reasons, 1)]
    answer = {
        "collection": result.collection,
        "bank": bank,
        "grader": grader,
        **attributes(result, "known_as", "basis"),
        "figures": len(result.rows),
        **{name.replace(" ", "_"): count for name, count in result.counts.items()},
        **attributes(result, "rows", "notes"),
    }
    cli.print_object(answer, rows, form, footer=[*reasons, "", result.sentence, *result.notes])
