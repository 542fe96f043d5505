"""How a queue is drawn, as a person chooses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.declared import Field
from exam_core.reviews.review import Sampler, Task

LARGEST = 100_000
"""Items of a queue."""


@dataclass(frozen=True)
class Draw:
    """What is drawn for review, how much of it, and how.

    Parameters
    ----------
    shared : per cent of the items that every reviewer gets
    """

    task: Annotated[
        Task,
        Field(
            "What is asked: how relevant a passage is, its grade on a question, or whether a question is good.",
            label="Task",
            explained="The corrected leaderboard is made of answers on relevance; agreement of any.",
            in_words={
                "relevance": "Relevance of a passage",
                "grade": "Grade of a passage on a question",
                "question": "Whether a question is good",
            },
        ),
    ] = "relevance"
    by: Annotated[
        Sampler,
        Field(
            "Every item alike; passages of many runs; where graders and judges disagree; what narrows the intervals.",
            label="Sampler",
            explained="How items are drawn. Each keeps its probability, so no way of drawing biases a figure. From "
            "disagreement, intervals of a corrected leaderboard hold the truth less often than 95%: take another.",
            in_words={
                "uniform": "Every item alike",
                "runs": "Passages of many runs first",
                "disagreement": "Where graders or judges disagree",
                "gain": "What narrows the intervals most",
            },
        ),
    ] = "gain"
    n: Annotated[int, Field("How many items.", least=1, most=LARGEST, label="Items", explained="How many to draw.")] = (
        200
    )
    seed: Annotated[
        int,
        Field(
            "Of the draw: the same seed draws the same items.",
            least=0,
            most=2**31 - 1,
            label="Seed",
            explained="The same seed draws the same items.",
        ),
    ] = 0
    shared: Annotated[
        int,
        Field(
            "Per cent of the items that every reviewer gets: they show how often reviewers err and differ.",
            least=0,
            most=100,
            label="Given to everybody (%)",
            explained="Every reviewer gets these first; the others are divided. They compare reviewers, and tell the "
            "intervals of a corrected leaderboard how often people err.",
        ),
    ] = 20
    instruction: Annotated[
        str,
        Field(
            "What reviewers are told to do; kept with each review.",
            label="Instruction",
            explained="Stands above every item, and is kept with each review: one clause can change many answers.",
        ),
    ] = ""
