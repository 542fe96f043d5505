"""Normalised rank positions of generated answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.asked import Convention
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.results import attributes


@dataclass(frozen=True, kw_only=True)
class NrpAnswerOptions:
    """Whose ranks, and how they are counted."""

    ranker: Annotated[str | None, Field("Ranker; by default the only one.")] = None
    convention: Annotated[
        Convention,
        Field(
            "1 - r/n: r from 0 and n with the answer (released), r from 1 (one-based), or n without the answer "
            "(documents)."
        ),
    ] = "released"
    systems: Annotated[bool, Field("A row for each system, over all its prompts.")] = False
    per_query: Annotated[
        bool, Field("List each query's value: in JSON beside the systems, otherwise in their place.")
    ] = False


@analysis("nrp", tables="systems over their prompts, and each query's value")
def answer(subject: Subject, options: NrpAnswerOptions) -> Answer:
    """Systems and prompts by how high their answers rank among the judged documents (NRP), with 95% intervals.

    For the interval, a query's answers are one observation.

    Example: examboard nrp demo-answers
    """
    from exam_core.wings.neighbours.analysis.nrp_scores import QUERIES, ROWS, SYSTEMS, nrp

    if options.systems and options.per_query:
        raise UsageError("--systems and --per-query: choose one of them.")
    found = nrp(subject.snapshot, ranker=options.ranker, convention=options.convention)
    tables = {"systems": described(found.systems, SYSTEMS), "per query": described(found.queries, QUERIES)}
    told = attributes(found, "collection", "ranker", "convention")
    told |= {"rows": found.systems if options.systems else found.rows, "notes": found.notes}
    told |= {"per_query": found.queries} if options.per_query else {}
    listed = "systems" if options.systems else "per query" if options.per_query else ""
    return Answer(
        f"{subject.snapshot.collection}: normalised rank positions",
        tables.get(listed, described(found.rows, ROWS)),
        found.notes,
        tables=tables,
        told=told,
    )
