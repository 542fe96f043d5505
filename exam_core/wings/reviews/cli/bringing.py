"""`examboard import reviews`."""

from __future__ import annotations

from typing import Annotated

import typer

from exam_core.cli.common import Into, Source, print_imported
from exam_core.cli.import_commands import brought
from exam_core.wings.reviews import actions

Reviewer = Annotated[str | None, typer.Option(help="Reviewer, if the file names none.")]


def reviews(file: Source, collection: Into, reviewer: Reviewer = None) -> None:
    """Reviews that people made elsewhere (CSV, JSON, Label Studio's JSON, JSON-MIN or CSV).

    Rows without an answer are left out: nobody has reviewed them yet. The same file again changes nothing.

    Example: examboard import reviews reviews.csv --collection dl19
    """
    print_imported(brought(actions.import_reviews, "reviews", collection, file, reviewer=reviewer))
