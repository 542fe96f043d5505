"""Every grading mode at every tau."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from exam_core import asked
from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import asked_of
from exam_core.declared import ALL, Every, Field
from exam_core.defaults import DEFAULT_MEASURES
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class GridOptions:
    """Which cells a grid has, and by which rules."""

    measures: Annotated[
        list[str] | None,
        Field(
            f"The columns, comma-separated; by default {','.join(DEFAULT_MEASURES)}.",
            commas=True,
            option="--measures --measure",
        ),
    ] = None
    taus: Annotated[
        list[int] | Every,
        Field("The taus, for instance 1,3,5; or all.", commas=True, least=1, most=5, option="--taus --tau"),
    ] = ALL
    graders: Annotated[
        list[str] | None,
        Field("Grading modes, comma-separated; by default all.", commas=True, option="--graders --grader"),
    ] = None
    bank: Annotated[str | None, Field("Question bank; by default all. genq@2 pins a version.")] = None
    reference: asked.Reference = None
    depth: asked.Depth = asked.DEPTH
    label_rank: asked.LabelRank = 1
    label_map: asked.LabelMap = None
    missing: asked.MissingRule = "zero"
    order: asked.OrderRule = "score"
    ncover_pool: asked.NcoverPool = "graded"
    rounded: asked.RoundedRule = "none"
    without: asked.Without = None


@analysis("grid", waiting="Comparing")
def answer(subject: Subject, options: GridOptions) -> Answer:
    """Spearman and Kendall of every grading mode at every tau, under several measures, as in table 3 of EXAM++.

    A table marks the best of each column and all values within 0.05 of it. LaTeX needs booktabs and xcolor.

    Example: examboard grid demo --measures AP,nDCG@20,Cover@20 --taus 1,3,5
    """
    from exam_core.analysis.evaluation.choice import TAUS
    from exam_core.analysis.evaluation.choosing import check_range, leave_out
    from exam_core.analysis.figures import figures_of
    from exam_core.measures import Measure
    from exam_core.wings.comparing.analysis.mode_grid import GRID
    from exam_core.wings.comparing.analysis.of_figures import grid_of
    from exam_core.wings.comparing.reports.grid_table import LEGEND, grid_latex, grid_table

    taus = list(TAUS) if isinstance(options.taus, str) else sorted(set(options.taus))
    for tau in taus:
        check_range("--taus", tau, TAUS[0], TAUS[-1])
    measures = [Measure.parse(name) for name in options.measures or ()]
    graders = options.graders or []
    snapshot = leave_out(subject.snapshot, options.without or [])
    held = figures_of(snapshot, *graders, options.reference)
    found = grid_of(held, asked_of(options), measures, graders, taus, subject.progress)
    told = {"collection": snapshot.collection, **found.question}
    told |= attributes(found, "measures", "reference", "rows", "notes")
    return Answer(
        f"{snapshot.collection} against {found.reference}",
        described(found.rows, GRID),
        found.notes,
        told=told,
        draw=lambda: _drawn(found),
        short=grid_table(found),
        paper=found.rows,
        footer=[f"Against {found.reference}. {LEGEND}", *found.notes],
        latex=lambda rows: grid_latex(replace(found, rows=rows)),
    )


def _drawn(found: Any) -> Any:
    """Kendall's tau of every mode against tau, a panel for each measure; printed columns without a tau are left out."""
    from exam_core.wings.comparing.charts.tau_curves import multiples_figure

    names = found.rows[["bank", "grader"]].fillna("").agg(" ".join, axis=1).str.strip()
    rows = found.rows.assign(series=names)[found.rows["tau"].notna()]
    return multiples_figure(rows, found.measures, coefficient="kendall")
