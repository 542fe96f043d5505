"""`examboard export parquet`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exam_core.cli import common as cli
from exam_core.errors import UsageError
from exam_core.wording import counted


def parquet(
    collection: cli.Collection,
    folder: Annotated[Path, typer.Argument(help="Folder to write; new, or empty.", show_default=False)],
) -> None:
    """A collection as Parquet files for Spark, Dask, Polars, pandas and DuckDB, with a README of its columns.

    Grades, rankings and judgments have a folder for each grader, run and set of judgments.

    Example: examboard export parquet dl19 dl19-parquet
    """
    from exam_core.formats.writing import prints
    from exam_core.wings.parquet.actions import export_parquet

    if prints(folder):
        raise UsageError("Several files make a folder, which can't be printed. Name a folder.")
    rows = export_parquet(cli.open_store().snapshot(collection), folder)
    cli.wrote(folder, f"{counted({'tables': len(rows), 'rows': sum(rows.values())})}; README.md says more")
