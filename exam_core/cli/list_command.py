"""`examboard list`."""

from __future__ import annotations

from exam_core.cli import common as cli
from exam_core.errors import StoreError


def list_collections(form: cli.FormatOption = cli.OutputForm.TABLE) -> None:
    """The collections with their counts. A damaged one is named, and the exit status is 1.

    Example: examboard list --format json
    """
    import pandas as pd

    from exam_core.store.summary import OF_GRADERS, counted_beside, of_each, summary

    store = cli.open_store()
    rows, damaged = of_each(store, lambda snapshot: summary(snapshot, **counted_beside(store, snapshot)))
    frame = pd.DataFrame(rows).drop(columns=list(OF_GRADERS), errors="ignore")
    frame = frame.map(lambda value: " ".join(value) if isinstance(value, list) else value)
    if not rows and not damaged and form is cli.OutputForm.TABLE:
        cli.say(f"The store {store.path} is empty. Build the demo with: examboard demo")
        return
    cli.print_object(rows, frame, form)
    if damaged:
        raise StoreError("\n".join(damaged))
