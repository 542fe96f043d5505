"""What the saved report shows of reproduction."""

from __future__ import annotations

from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.wings.reproduction.analysis import reproduction as printed
from exam_core.wings.reproduction.reports.reproduction_table import counts_in_words


def _reproduction(asking: Asking) -> Part | None:
    found = asking.ask(printed.reproduction, asking.figures.snapshot)
    if found.rows.empty:
        return None
    table = ReportTable(found.summary, printed.SUMMARY, "Printed figures that reproduce, by column or table")
    return Part("Does print reproduce?", [found.sentence, *counts_in_words(found)], {}, [table], found.notes)


PARTS = (PagePart("Does print reproduce?", _reproduction, 90),)
