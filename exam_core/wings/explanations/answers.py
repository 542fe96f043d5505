"""What explanations add to the analysis `outliers`: why a run is displaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from exam_core.answers.analysis import Added, Subject
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import at_one_tau, figures
from exam_core.answers.outliers import OutliersOptions
from exam_core.declared import Field
from exam_core.defaults import TOP_CAUSES
from exam_core.errors import UsageError
from exam_core.results import attributes

TABLES = ("queries", "questions", "passages")


@dataclass(frozen=True, kw_only=True)
class ExplainedOptions(OutliersOptions):
    """Which run is explained."""

    run: Annotated[str | None, Field("Explain this run: queries, questions, passages.")] = None
    top: Annotated[int, Field("With --run: number of queries whose questions and passages are listed.")] = TOP_CAUSES


def explained(subject: Subject, options: ExplainedOptions, answer: Answer) -> Answer:
    """Displacements, and what explains that of a run, where one is named."""
    from exam_core.analysis.choosing import MOST_DRAWS, check_range

    check_range("--top", options.top, 1, MOST_DRAWS)
    if options.run is None:
        return answer
    contents = figures(subject, options, *(options.graders or []))
    if contents.in_print:
        return _unexplained(answer, options.run)
    from exam_core.analysis.outliers import method_choices, method_titles
    from exam_core.wings.explanations import explanation
    from exam_core.wings.explanations.explanation import contributions_figure, explanation_lines

    request, graders = at_one_tau(subject, options), options.graders or ([options.grader] if options.grader else [])
    choices, _ = method_choices(contents.snapshot, request, options.measures or [request.measure], graders)
    methods = dict(zip(method_titles(choices), choices, strict=True))
    mine = answer.rows.loc[answer.rows["run_id"] == options.run, "method"]
    # the method that displaces it most; a run that isn't there is refused by name
    choice = methods[mine.iloc[0]] if len(mine) else choices[0]
    why = explanation.explain(contents.snapshot, choice, options.run, top=options.top)
    tables = dict(zip(TABLES, (explanation.QUERIES, explanation.QUESTIONS, explanation.PASSAGES), strict=True))
    about = attributes(why, "run_id", "method", "rank_displacement", "neighbours")
    text = answer.told | {"explained": about | {"beside": why.movers.other, "query_id": why.movers.query_id}}
    return Answer(
        answer.title,
        answer.rows,
        answer.notes,
        tables=answer.tables | {name: described(getattr(why, name), table) for name, table in tables.items()},
        text=text | attributes(why, *TABLES) | {"notes": [*answer.told["notes"], *why.notes]},
        draw=lambda: contributions_figure(why.queries, why.run_id),
        footer=[*answer.footer, *explanation_lines(why)],
    )


def _unexplained(answer: Answer, run_id: str) -> Answer:
    """The same, and a note that nothing is printed that explains a run. Raises UsageError where it has no rank."""
    fields: dict[str, Any] = answer.told
    known = sorted(answer.rows["run_id"].unique())
    if run_id not in known:
        raise UsageError(f"{fields['reference']} ranks no run {run_id}. It ranks: {', '.join(known)}.")
    note = f"{fields['collection']} prints no values by query, so the rank of {run_id} can't be explained."
    return Answer(
        answer.title,
        answer.rows,
        [*answer.notes, note],
        tables=answer.tables,
        text=fields | {name: [] for name in TABLES} | {"notes": [*fields["notes"], note]},
        draw=answer.figure,
        footer=[*answer.footer, note],
    )


HELP = """With --run, why that run is displaced.

Example: examboard outliers demo --bank open --tau 3 --run any-word
"""
ADDED = (Added("outliers", ExplainedOptions, explained, HELP, "; with run its queries, questions and passages"),)
