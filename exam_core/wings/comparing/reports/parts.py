"""What the saved report shows of comparisons."""

from __future__ import annotations

from exam_core.analysis.comparisons.comparison import series_name
from exam_core.charts.chart_layout import words_of
from exam_core.charts.strips import MANY
from exam_core.defaults import Sampling
from exam_core.errors import ExamboardError
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.wings.comparing.analysis import rank_bootstrap as redrawn
from exam_core.wings.comparing.analysis import versus as two
from exam_core.wings.comparing.analysis.of_figures import columns_beside, cutoffs_of, residuals_of, swaps_of
from exam_core.wings.comparing.analysis.tau_comparison import Cutoffs
from exam_core.wings.comparing.charts import rank_stability, reference_scatter, side_by_side
from exam_core.wings.comparing.charts.tau_curves import cutoffs_figure
from exam_core.wings.comparing.charts.tau_strips import tau_strips
from exam_core.wings.comparing.reports.tau_table import SERIES_CUTOFFS, advice_in_full, cutoffs_table


def _every_tau(asking: Asking) -> Part | None:
    if not asking.of_grades:
        return None
    found: dict[str, Cutoffs] = {}
    missing = []
    for name in asking.series:
        try:
            one = asking.ask(cutoffs_of, asking.figures, asking.asked, Sampling(), series=name)
            found[series_name(asking.figures.snapshot, name, asking.asked)] = one
        except ExamboardError as error:
            missing.append(f"{name}: {error}")
    if not found:
        return Part("Every tau", missing=missing)
    rows = {name: one.rows for name, one in found.items()}
    told = [f"{name}: {' '.join(said)}" for name, one in found.items() if (said := advice_in_full(one, None))]
    draw = tau_strips if len(rows) >= MANY else cutoffs_figure
    charts = {"cutoffs": draw(rows, coefficient="kendall", measured=next(iter(found.values())).measure)}
    table = ReportTable(cutoffs_table(found), SERIES_CUTOFFS, "Taus side by side")
    notes = [note for one in found.values() for note in one.notes]
    return Part("Every tau", told, charts, [table], notes, missing, is_early=True)


def _run_by_run(asking: Asking) -> Part | None:
    if not asking.has_reference:
        return None
    found = asking.ask(residuals_of, asking.figures, asking.series[0], asking.asked)
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
    found = asking.ask(swaps_of, asking.figures, asking.asked, asking.series[0])
    scores_of = found.reference if found.differences_of == "reference" else found.title
    figure = rank_stability.swaps_figure(found.rows, scores_of)
    return Part("Rank swaps", [f"{found.title} against {found.reference}. {words_of(figure)}"], {"swaps": figure})


def _beside(asking: Asking) -> Part | None:
    if len(asking.series) > 1 and (printed := asking.figures.in_print):
        found = asking.ask(columns_beside, printed, asking.series[0], asking.series[-1])
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
    PagePart("Every tau", _every_tau, 0),
    PagePart("Run by run", _run_by_run, 10),
    PagePart("Stability of the ranks", _stability, 20),
    PagePart("Rank swaps", _swaps, 30),
    PagePart("Two leaderboards", _beside, 50),
)
