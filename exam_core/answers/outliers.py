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
    from exam_core.answers import drawing
    from exam_core.defaults import Sampling
    from exam_core.results import attributes

    graders = options.graders or []
    held, asked = figures(subject, options, *graders), at_one_tau(subject, options)
    check_draws(options.draws, options.seed)
    found, methods = held.outliers(
        asked,
        options.measures or [asked.measure],
        graders or ([options.grader] if options.grader else []),
        Sampling(options.draws, options.seed),
        subject.progress,
    )
    told: dict[str, Any] = {"collection": held.snapshot.collection}
    if methods:
        first, *others = methods.values()
        told = question_of(held.snapshot, first)
        if others:
            told |= {"bank": asked.bank, "grader": None, "measure": None, "tau": None}
    told |= {**attributes(found, "reference", "draws", "seed"), "alpha": outliers.ALPHA}
    told |= attributes(found, "methods", "rows", "combined", "notes")
    return Answer(
        f"{subject.snapshot.collection}: displacement against {found.reference}",
        described(found.rows, outliers.ROWS),
        found.notes,
        tables={
            "methods": described(found.methods, outliers.METHODS),
            "combined": described(found.combined, outliers.COMBINED),
        },
        told=told,
        draw=lambda: drawing.displacements(found),
        footer=outliers_lines(found),
    )
