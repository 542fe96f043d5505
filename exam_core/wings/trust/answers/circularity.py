"""Displacement of tagged runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described, undefined
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Draws, Evaluating, Graders, Measures, Reference, Seed
from exam_core.declared import Field
from exam_core.defaults import DRAWS, SEED
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class CircularityOptions(Evaluating):
    """Which tagged runs are looked at, by which methods, against what."""

    tag: Annotated[list[str] | None, Field("Only runs with this tag; may be repeated. By default every tag.")] = None
    graders: Graders = None
    measures: Measures = None
    reference: Reference = None
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis("circularity")
def answer(subject: Subject, options: CircularityOptions) -> Answer:
    """Is the grader biased towards some runs? Displacement of tagged against other runs, with 95% intervals.

    By every method and by all together. Runs are tagged with `tags`.

    Example: examboard circularity demo --measures P@20 --reference qrels:P@20
    """
    from exam_core.analysis.displacement.outliers import method_choices
    from exam_core.analysis.evaluation.choosing import check_draws
    from exam_core.wings.trust.analysis.grader_circularity import ROWS, circularity
    from exam_core.wings.trust.charts.tagged_displacements import circularity_figure
    from exam_core.wings.trust.reports.trust_sentences import circularity_sentences

    check_draws(options.draws, options.seed)
    held, asked = figures(subject, options, *(options.graders or [])), at_one_tau(subject, options)
    measures = options.measures or [asked.measure]
    graders = options.graders or ([options.grader] if options.grader else [])
    collection = subject.snapshot.collection
    question = {"collection": collection, "bank": asked.bank, "graders": graders or None, "measures": measures}
    question |= attributes(asked, "judgments", "tau", "depth", "label_rank")
    if held.in_print:
        return undefined("circularity", question, "leave out", ROWS)
    choices, notes = method_choices(held.snapshot, asked, measures, graders)
    found = circularity(held.snapshot, choices, options.tag or [], draws=options.draws, seed=options.seed)
    found.notes.extend(notes)
    return Answer(
        f"{collection}: displacement of tagged runs against {found.reference}",
        described(found.rows, ROWS),
        [*circularity_sentences(found), *found.notes],
        told=question | attributes(found, "reference", "tags", "draws", "seed", "rows", "notes"),
        draw=lambda: circularity_figure(found.rows, found.reference),
    )
