"""The lines below a table of a board with other questions."""

from __future__ import annotations

from exam_core.reports.tables import first_rows, written
from exam_core.wings.comparing.analysis.whatif import WhatIf
from exam_core.wording import labels_change


def whatif_summary(found: WhatIf) -> list[str]:
    """How many questions count, the correlations, and how many passages get another label."""
    lines = [f"{found.title}: {found.enabled_before:,} questions counted, {found.enabled_after:,} would count."]
    if found.before and found.after:
        for name in ("spearman", "kendall"):
            before, after = (getattr(one.correlation, name) for one in (found.before, found.after))
            lines.append(f"{name.capitalize()} with {found.before.reference}: {written(before)} → {written(after)}")
    return [*lines, labels_change(len(found.relabelled), int(found.relabelled["crosses_tau"].sum()))]


def whatif_lines(found: WhatIf) -> list[str]:
    """The summary, the first passages whose label changes, and notes."""
    return whatif_summary(found) + (first_rows(found.relabelled) if len(found.relabelled) else []) + found.notes
