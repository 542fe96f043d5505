"""What the report shows of the pages beside leaderboard, taus and displacements: a part for each page's analysis."""

from __future__ import annotations

from exam_core import wings
from exam_core.charts import agreement_matrices as kappas
from exam_core.errors import ExamboardError
from exam_core.reports.part import Asking, PagePart, Part


def parts(asking: Asking) -> tuple[list[Part], list[str]]:
    """Every part that can be had, and why others can't."""
    found, missing = [], []
    for row in sorted(wings.declared("report_parts"), key=lambda row: row.order):
        try:
            part = row.make(asking)
        except ExamboardError as error:
            missing.append(f"{row.heading}: {error}")
            continue
        if part is not None:
            found += [part] if part.sentences or part.charts or part.tables else []
            missing += part.missing
    return found, missing


def _every_cut(asking: Asking) -> Part | None:
    figures, asked = asking.figures, asking.asked
    if printed := figures.in_print:
        if not printed.banks():
            return None
        asked = asked.but(bank=printed.table_of(asking.series))
    elif asking.of_grades and (choice := asking.choice()):
        asked = asked.of(asking.series[0]).but(label_rank=choice.labelling.label_rank)
    else:
        return None
    found = asking.ask(figures.agreement_grid, asked)
    if found.rows.empty:
        return None
    charts = {"kappas": kappas.kappa_figure(found.rows)}
    of = f"{found.grader or 'as printed'}{f', bank {found.bank}' if found.bank else ''}"
    return Part("Kappa at every tau and threshold", [f"Of {of}."], charts, [], found.notes)


PARTS = (PagePart("Kappa at every tau and threshold", _every_cut, 40),)
