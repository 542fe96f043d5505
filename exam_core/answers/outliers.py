"""How far runs are displaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.defaults import DRAWS, SEED
from exam_core.request import Draws, Evaluating, Graders, Measures, Reference, Seed


@dataclass(frozen=True, kw_only=True)
class OutliersOptions(Evaluating):
    """By which methods displacements are found."""

    graders: Graders = None
    measures: Measures = None
    reference: Reference = None
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("outliers", waiting="Drawing queries", tables="each method, and all methods together")
def answer(subject: Subject, options: OutliersOptions) -> Answer:
    """How far each run is displaced against a reference, by each method and by all methods together.

    Example: examboard outliers demo --bank open --measures P@20 --tau 3
    """
    from exam_core.analysis import outliers
    from exam_core.analysis.choosing import check_draws
    from exam_core.analysis.displacements import outliers_lines
    from exam_core.analysis.figures import question_of
    from exam_core.charts.leaderboard_lines import displacement_figure
    from exam_core.defaults import Sampling
    from exam_core.results import attributes

    graders = options.graders or []
    contents, request = figures(subject, options, *graders), at_one_tau(subject, options)
    check_draws(options.draws, options.seed)
    result, methods = contents.outliers(
        request,
        options.measures or [request.measure],
        graders or ([options.grader] if options.grader else []),
        Sampling(options.draws, options.seed),
        subject.progress,
    )
    fields: dict[str, Any] = {"collection": contents.snapshot.collection}
    if methods:
        first, *others = methods.values()
        fields = question_of(contents.snapshot, first)
        if others:
            fields |= {"bank": request.bank, "grader": None, "measure": None, "tau": None}
    fields |= {**attributes(result, "reference", "draws", "seed"), "alpha": outliers.ALPHA}
    fields |= attributes(result, "methods", "rows", "combined", "notes")
    return Answer(
        f"{subject.snapshot.collection}: displacement against {result.reference}",
        described(result.rows, outliers.ROWS),
        result.notes,
        tables={
            "methods": described(result.methods, outliers.METHODS),
            "combined": described(result.combined, outliers.COMBINED),
        },
        text=fields,
        draw=lambda: displacement_figure(result.rows, result.methods["method"].tolist(), result.reference),
        footer=outliers_lines(result),
    )
