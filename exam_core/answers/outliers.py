"""How far runs are displaced, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.asked import Draws, Evaluating, Graders, Measures, Reference, Seed
from exam_core.declared import Field
from exam_core.defaults import DRAWS, SEED, TOP_CAUSES


@dataclass(frozen=True, kw_only=True)
class OutliersOptions(Evaluating):
    """By which methods displacements are found, and which run is explained."""

    run: Annotated[str | None, Field("Explain this run: queries, questions, passages.")] = None
    graders: Graders = None
    measures: Measures = None
    reference: Reference = None
    top: Annotated[int, Field("With --run: the questions and passages of so many queries are listed.")] = TOP_CAUSES
    draws: Draws = DRAWS
    seed: Seed = SEED


@analysis(
    "outliers",
    waiting="Drawing queries",
    tables="the methods and all together; with run its queries, questions and passages",
)
def answer(subject: Subject, options: OutliersOptions) -> Answer:
    """How far each run is displaced against a reference, by every method and by all together; with --run, why.

    Example: examboard outliers demo --bank open --measures P@20 --tau 3

    Example: examboard outliers demo --bank open --tau 3 --run any-word
    """
    from exam_core.analysis.displacement import explanation, outliers
    from exam_core.answers import drawing
    from exam_core.defaults import Sampling
    from exam_core.reports.displaced import Displacing, displaced
    from exam_core.reports.explaining import explanation_lines, outliers_lines

    graders = options.graders or []
    held, asked = figures(subject, options, *graders), at_one_tau(subject, options)
    wanted = Displacing(
        options.measures or [asked.measure],
        graders or ([options.grader] if options.grader else []),
        Sampling(options.draws, options.seed),
        options.run,
        options.top,
    )
    done = displaced(held, asked, wanted, subject.progress)
    tables = {
        "methods": described(done.found.methods, outliers.METHODS),
        "combined": described(done.found.combined, outliers.COMBINED),
    }
    why = done.explained
    if why:
        tables |= {
            "queries": described(why.queries, explanation.QUERIES),
            "questions": described(why.questions, explanation.QUESTIONS),
            "passages": described(why.passages, explanation.PASSAGES),
        }
    return Answer(
        f"{subject.snapshot.collection}: displacement against {done.found.reference}",
        described(done.found.rows, outliers.ROWS),
        done.found.notes,
        tables=tables,
        told=done.answer,
        draw=lambda: drawing.displacements(done.found, why),
        footer=[*outliers_lines(done.found), *(explanation_lines(why) if why else [])],
    )
