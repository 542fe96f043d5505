"""What a collection lacks for more than it shows: runs, judgments, texts of passages, questions, grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from exam_core.store import Snapshot
from exam_core.store.named_passages import texts_of_named
from exam_core.store.summary import banks, graders, qrels_ids, run_ids

What = Literal["runs", "judgments", "passages", "questions", "grades"]


@dataclass(frozen=True)
class Lack:
    """Something that a collection lacks, and what it is for, in a sentence."""

    what: What
    sentence: str


def lacking(snapshot: Snapshot) -> list[Lack]:
    """What is missing, in the order in which it is brought; texts and questions count only where nothing is graded."""
    found = []
    if not run_ids(snapshot):
        found.append(Lack("runs", "There are no runs to rank."))
    if not qrels_ids(snapshot):
        found.append(Lack("judgments", "No human judgments yet. With them you see how good the grades are."))
    if graders(snapshot):
        return found
    if (texts := texts_of_named(snapshot)).textless:
        share = f"{texts.textless:,} of {texts.named:,}"
        found.append(Lack("passages", f"{share} passages have no text for a grader to read."))
    if not banks(snapshot):
        found.append(Lack("questions", "There are no exam questions: grades say which of them a passage answers."))
    found.append(
        Lack("grades", "Nothing is graded yet: grades bring Cover, kappa, tau and the difficulty of questions.")
    )
    return found
