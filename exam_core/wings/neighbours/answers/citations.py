"""Whether cited passages support a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.asked import Tau
from exam_core.declared import Field
from exam_core.results import attributes
from exam_core.wings.neighbours.answers.nuggets import NuggetsAsked, chosen


@dataclass(frozen=True, kw_only=True)
class CitationsOptions(NuggetsAsked):
    """Which citations count, and what is listed."""

    tau: Tau = None
    cited: Annotated[
        Literal["all", "first"],
        Field("With a grader of citations: count all citations of a sentence, or only the first (as TREC RAG 2024)."),
    ] = "all"
    claims: Annotated[
        bool, Field("List every claim or citation: in JSON beside the runs, otherwise in their place.")
    ] = False


@analysis("citations", tables="every claim, or every citation")
def answer(subject: Subject, options: CitationsOptions) -> Answer:
    """Do the passages that a generated text cites support its claims?

    With grades of questions, a claim is a question that a passage of the text answers. It is unknown where cited
    passages are ungraded. With a grader of citations (grade C --grader citation-support), a model rates each cited
    passage: full, partial or no support of its sentence.

    Example: examboard citations demo-nuggets --grader lexical.pourpre-idf
    """
    from exam_core.analysis.evaluation.choosing import check_range, choose_tau, leave_out
    from exam_core.analysis.figures.graded_figures import left_out
    from exam_core.wings.neighbours.analysis import citation_support, support

    snapshot = leave_out(subject.snapshot, options.without or [])
    title = f"{snapshot.collection}: citations"
    if grader := support.chosen_grader(snapshot, options.grader):
        cited = support.support(snapshot, grader, cited=options.cited)
        question = {"collection": snapshot.collection, "grader": grader, "cited": options.cited, **left_out(snapshot)}
        listed = described(cited.citations, support.CITATIONS)
        return Answer(
            title,
            listed if options.claims else described(cited.rows, support.ROWS),
            cited.notes,
            tables={"citations": listed},
            told=question | attributes(cited, "rows", *(["citations"] if options.claims else []), "notes"),
        )
    check_range("--tau", options.tau, 1, 5)
    snapshot, labelling, question = chosen(subject, options)
    tau = choose_tau(snapshot, labelling, options.tau, of_labels=False)
    found = citation_support.citations(snapshot, labelling, tau)
    claims = described(found.claims, citation_support.CLAIMS)
    return Answer(
        title,
        claims if options.claims else described(found.rows, citation_support.ROWS),
        found.notes,
        tables={"claims": claims},
        told=question | attributes(found, "tau", "rows", *(["claims"] if options.claims else []), "notes"),
    )
