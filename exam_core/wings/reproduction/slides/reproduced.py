"""The slide of what print says."""

from __future__ import annotations

from exam_core.errors import UsageError
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.reproduction.analysis.reproduction import (
    EQUAL,
    NEAR,
    OTHERWISE,
    RULES,
    VERDICTS,
    is_reproduced,
    reproduction,
)
from exam_core.wings.reproduction.analysis.reproduction import ROWS as PRINTED
from exam_core.wings.reproduction.charts.printed_scatter import reproduction_figure, scores_of, share_drawn
from exam_core.wings.reproduction.reports.reproduction_table import SIGNS
from exam_core.wording import RELIABILITY


def reproduced(told: Told) -> Slide:
    """Printed scores and coefficients against ours, whatever the control bar says."""
    found = told.ask(reproduction, told.figures.snapshot)
    wanted = told.view.address.get("reproduce_verdicts") or SIGNS.values()
    rows = found.rows[found.rows["verdict"].map(SIGNS).isin(wanted)]
    if rows.empty or found.basis == RULES or scores_of(rows).empty:
        raise UsageError(f"{found.sentence} None of them is a score that a chart could show.")
    counts = found.counts
    return Slide(
        takeaway=found.sentence,
        figure=reproduction_figure(rows, VERDICTS, NEAR),
        table=rows[[name for name in PRINTED.names if name not in ("about", "by_stated_rule", "source")]],
        of=PRINTED,
        ticks={
            "share reproduced": (counts[EQUAL] + counts[OTHERWISE]) / len(found.rows),
            f"within {NEAR}": found.near / len(found.rows),
        },
        notes=tuple(found.notes),
        chosen=f"{found.collection}: {share_drawn(rows)}",
    )


ROWS = (
    PageSlide(
        "Reproduce",
        reproduced,
        130,
        takes=is_reproduced,
        part_of=RELIABILITY,
        tabs=("reliability_part", ("Reproduce",)),
    ),
)
