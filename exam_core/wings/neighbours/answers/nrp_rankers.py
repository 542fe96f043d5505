"""Rankers by judgments of quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.declared import Field
from exam_core.errors import UsageError
from exam_core.results import attributes
from exam_core.wording import plain_number

CANNOT_JUDGE = ("credibility=3",)


@dataclass(frozen=True, kw_only=True)
class NrpRankersOptions:
    """Measure that compares rankers."""

    judgments: Annotated[
        list[str] | None, Field("Judgments of quality, comma-separated; by default all.", commas=True)
    ] = None
    measure: Annotated[str, Field("Measure that compares rankers.")] = "nDCG@10"
    cannot_judge: Annotated[
        list[str] | None,
        Field(
            "NAME=LABEL: a label of these judgments that means unknown and counts as 0; by default credibility=3 "
            "(CLEF eHealth 2021). none: every label counts.",
        ),
    ] = None


@analysis("nrp-rankers")
def answer(subject: Subject, options: NrpRankersOptions) -> Answer:
    """Rankers (runs of documents) by nDCG@10 over several judgments of quality, the best by their mean first.

    Example: examboard nrp-rankers demo-answers --judgments relevance
    """
    from exam_core.wings.neighbours.analysis.ranker_agreement import ROWS, rankers

    unable = _labels(options.cannot_judge or CANNOT_JUDGE)
    wanted = options.judgments or []
    found = rankers(subject.snapshot, qrels=wanted, measure=options.measure, cannot_judge=unable)
    best = [f"The best ranker by the mean is {found.best}."] if found.best else []
    told = attributes(found, "collection", "measure") | {"judgments": found.qrels}
    told |= attributes(found, "best", "rows", "notes")
    title = f"{subject.snapshot.collection}: rankers by {options.measure}"
    return Answer(title, described(found.rows, ROWS), [*best, *found.notes], told=told)


def _labels(texts: Sequence[str]) -> dict[str, int]:
    """Labels that say nothing, by their judgments, from NAME=LABEL. Raises UsageError where a text is none."""
    if list(texts) == ["none"]:
        return {}
    found = {}
    for text in texts:
        name, _, label = text.rpartition("=")
        number = plain_number(label)
        if not name or number is None:
            raise UsageError(f"--cannot-judge {text}: write NAME=LABEL, for instance credibility=3, or none.")
        found[name] = number
    return found
