"""Printed figures beside ours: how many reproduce in words, and for the terminal a table with numbered reasons."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from exam_core.results import ResultTable, number, text
from exam_core.wings.reproduction.analysis.reproduction import (
    DIFFERS,
    EQUAL,
    NEAR,
    OTHERWISE,
    ROWS,
    UNDEFINED,
    Reproduction,
)
from exam_core.wording import counted

SIGNS = {EQUAL: "✓ equal", OTHERWISE: "≈ equal by another rule", DIFFERS: "✗ differs", UNDEFINED: "- undefined"}
"""Verdicts as the page and its address have them."""
NO_REASON = "No reason is known."

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

REASONS = ResultTable(
    "reproduction: reasons",
    "Why figures are not equal to print, or only by another rule",
    number("figures", "Figures", "Figures that are not equal by the stated rule.", "figures"),
    replace(ROWS["reason"], label="Reason"),
    ROWS["source"],
)


def counts_in_words(found: Reproduction) -> list[str]:
    """What was compared, how much of it is equal to the printed digits, and how many more are near."""
    rows, counts = found.rows, found.counts
    if rows.empty:
        return []
    is_count = ~rows["printed"].str.contains(".", regex=False)
    told = counted({"scores, shares or coefficients": int((~is_count).sum()), "counts": int(is_count.sum())})
    said = [f"Compared: {counted({'printed figures': len(rows)})} of {len(found.summary)} columns or tables: {told}."]
    said.append(f"Equal to the printed digits: {counts[EQUAL]}, with the rule that the paper states.")
    if counts[OTHERWISE]:
        said.append(f"Equal to the printed digits by another rule (column Setting): {counts[OTHERWISE]}.")
    if counts[DIFFERS]:
        differs = rows["verdict"] == DIFFERS
        near = differs & ~is_count & (rows["difference"].abs() <= NEAR + 1e-9)
        known = int((differs & (rows["reason"] != "")).sum())
        said.append(
            f"Different: {counts[DIFFERS]}. Within {NEAR} of print: {int(near.sum())} of the "
            f"{int((differs & ~is_count).sum())} that are not counts. The reason is known for {known} of "
            f"{counts[DIFFERS]}."
        )
    if counts[UNDEFINED]:
        said.append(f"Undefined here: {counts[UNDEFINED]}.")
    return said


def reasons_table(found: Reproduction) -> pd.DataFrame:
    """`REASONS`, the reason of most figures first."""
    left = found.rows[found.rows["verdict"] != EQUAL].replace({"reason": {"": NO_REASON}})
    rows = left.groupby(["reason", "source"], sort=False).size().rename("figures").reset_index()
    return REASONS.of(rows.sort_values("figures", ascending=False, kind="stable", ignore_index=True))


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
