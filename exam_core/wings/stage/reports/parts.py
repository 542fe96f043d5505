"""What the report shows of the pages beside leaderboard, taus and displacements: a part for each page's analysis."""

from __future__ import annotations

from exam_core import wings
from exam_core.analysis.comparisons import versus as two
from exam_core.analysis.uncertainty import rank_bootstrap as redrawn
from exam_core.charts import agreement_matrices as kappas
from exam_core.charts import rank_stability, reference_scatter, side_by_side
from exam_core.charts.chart_layout import words_of
from exam_core.errors import ExamboardError
from exam_core.reports.part import Asking, PagePart, Part, ReportTable


def parts(asking: Asking) -> tuple[list[Part], list[str]]:
    """Every part that can be had, and why others can't."""
    found, missing = [], []
    for row in sorted(wings.declared("reports", "PARTS"), key=lambda row: row.order):
        try:
            part = row.make(asking)
        except ExamboardError as error:
            missing.append(f"{row.heading}: {error}")
            continue
        if part is not None:
            found.append(part)
    return found, missing


def _run_by_run(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    found = asking.ask(asking.figures.residuals, asking.series[0], asking.asked)
    axes = {"x": f"{'rank in ' if found.of_ranks else ''}{found.reference}", "y": found.title}
    figure = reference_scatter.scatter_figure(found.rows, **axes, of_ranks=found.of_ranks, identity=found.identity)
    return Part(f"Run by run against {found.reference}", [], {"correlation": figure}, [], found.notes)


def _stability(asking: Asking) -> Part | None:
    choice = asking.choice()
    if choice is None:
        return None
    found = asking.ask(redrawn.stability, asking.figures.snapshot, choice, of="queries")
    charts = {"ranks": rank_stability.ranks_figure(found.rows, found.title)}
    table = ReportTable(
        found.correlation, redrawn.CORRELATION, f"Rank correlations over {found.draws:,} resamplings of the queries"
    )
    said = f"{found.title}: the ranks over {found.draws:,} resamplings of the queries, seed {found.seed}."
    return Part("Stability of the ranks", [said], charts, [table], found.notes)


def _swaps(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    found = asking.ask(asking.figures.swaps_of, asking.series[0], asking.asked)
    scores_of = found.reference if found.differences_of == "reference" else found.title
    figure = rank_stability.swaps_figure(found.rows, scores_of)
    return Part("Rank swaps", [f"{found.title} against {found.reference}. {words_of(figure)}"], {"swaps": figure})


def _every_cut(asking: Asking) -> Part | None:
    banks = asking.figures.banks()[:1] if asking.figures.basis == "print" else [asking.asked.bank]
    if not banks or not (asking.of_grades or asking.figures.basis == "print"):
        return None
    grader = asking.series[0] if asking.of_grades else None
    found = asking.ask(asking.figures.agreement_grid, asking.asked.but(bank=banks[0], grader=grader))
    if found.rows.empty:
        return None
    charts = {"kappas": kappas.kappa_figure(found.rows)}
    of = f"{found.grader or 'as printed'}{f', bank {found.bank}' if found.bank else ''}"
    return Part("Kappa at every cut", [f"Of {of}."], charts, [], found.notes)


def _beside(asking: Asking) -> Part | None:
    if len(asking.series) > 1 and asking.figures.basis == "print":
        found = asking.ask(asking.figures.versus, asking.series[0], asking.series[-1])
    elif len(asking.series) > 1 and asking.of_grades:
        found = asking.ask(two.versus, asking.figures.snapshot, asking.choice(), asking.choice(-1))
    else:
        return None
    charts = {"compare": side_by_side.ranks_figure(found.rows, found.title_a, found.title_b)}
    tables = [
        ReportTable(found.correlation, two.CORRELATION, f"How well A and B agree, {found.n} runs"),
        ReportTable(found.pairs, two.PAIRS, "Pairs of runs by their order"),
    ]
    return Part("Two leaderboards", [f"A: {found.title_a}. B: {found.title_b}."], charts, tables, found.caveats)


PARTS = (
    PagePart("Run by run", _run_by_run, 10),
    PagePart("Stability of the ranks", _stability, 20),
    PagePart("Rank swaps", _swaps, 30),
    PagePart("Kappa at every cut", _every_cut, 40),
    PagePart("Two leaderboards", _beside, 50),
)
