"""Printed figures beside ours, for the terminal: reasons are numbered, because they are long."""

from __future__ import annotations

import pandas as pd

from exam_core.analysis.printed.reproduction import Reproduction


def table_rows(found: Reproduction) -> pd.DataFrame:
    """The rows with the number of each reason in place of its words; by_stated_rule only where it is another rule."""
    numbers = {reason: f"[{number}]" for number, reason in enumerate(found.reasons, 1)}
    rows = found.rows
    reason = [numbers.get(pair, "") for pair in zip(rows["reason"], rows["source"], strict=True)]
    where = rows["paper"] + ", " + rows["printed_in"]
    shown = rows.assign(where=where, reason=reason, ours=[_as_printed(value) for value in rows["ours"]])
    return shown[["where", "figure", "printed", "ours", "difference", "verdict", "setting", "reason"]]


def _as_printed(value: float) -> str:
    """Counts as whole numbers, fractions with four decimals: one more than is printed."""
    return f"{value:.0f}" if value > 1 and float(value).is_integer() else f"{value:.4f}"
