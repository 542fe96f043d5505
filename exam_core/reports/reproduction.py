"""Printed figures beside ours, for the terminal: reasons are numbered, because they are long."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from exam_core.analysis.printed.reproduction import ROWS, Reproduction
from exam_core.results import ResultTable, text

TABLE = ResultTable(
    "reproduction: table",
    "Printed figures beside ours, as a terminal has room for them",
    text("where", "Where", "The paper, and where it prints the figure."),
    ROWS["figure"],
    ROWS["printed"],
    replace(ROWS["ours"], kind="text", form="", unit=""),
    ROWS["difference"],
    ROWS["verdict"],
    ROWS["setting"],
    replace(ROWS["reason"], help="The number of the reason in the list below the table."),
)


def table_rows(found: Reproduction) -> pd.DataFrame:
    """The rows as `TABLE`."""
    numbers = {reason: f"[{number}]" for number, reason in enumerate(found.reasons, 1)}
    rows = found.rows
    reason = [numbers.get(pair, "") for pair in zip(rows["reason"], rows["source"], strict=True)]
    where = rows["paper"] + ", " + rows["printed_in"]
    return TABLE.of(rows.assign(where=where, reason=reason, ours=[_as_printed(value) for value in rows["ours"]]))


def _as_printed(value: float) -> str:
    """Counts as whole numbers, fractions with four decimals: one more than is printed."""
    return f"{value:.0f}" if value > 1 and float(value).is_integer() else f"{value:.4f}"
