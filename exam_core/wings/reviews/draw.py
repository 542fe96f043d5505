"""How a queue is drawn, as a person chooses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from exam_core.declared import Field
from exam_core.wings.reviews.review import Sampler, Task

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
            "Task: relevance of a passage, its grade on a question, or whether a question is good.",
            label="Task",
            explained="The corrected leaderboard uses answers on relevance; agreement is computed for every task.",
            in_words={
                "relevance": "Relevance of a passage",
                "grade": "Grade of a passage on a question",
                "question": "Quality of a question",
            },
        ),
    ] = "relevance"
    by: Annotated[
        Sampler,
        Field(
            "Sampling: uniform; passages of many runs; disagreements of graders and judges; passages that narrow "
            "intervals.",
            label="Sampler",
            explained="Sampling of items. Each keeps its probability, so no sampling biases a figure. By disagreement, "
            "intervals of a corrected leaderboard contain the true value in less than 95%: choose another for it.",
            in_words={
                "uniform": "Every item alike",
                "runs": "Passages of many runs first",
                "disagreement": "Passages on which graders or judges disagree",
                "gain": "Passages that narrow the intervals most",
            },
        ),
    ] = "gain"
    n: Annotated[int, Field("Number of items.", least=1, most=LARGEST, label="Items", explained="Number of items.")] = (
        200
    )
    seed: Annotated[
        int,
        Field(
            "Seed of the sample; the same seed draws the same items.",
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
            explained="Every reviewer gets these items first; the others are divided among them. Shared items show how "
            "reviewers differ and how often people err, which intervals of a corrected leaderboard need.",
        ),
    ] = 20
    instruction: Annotated[
        str,
        Field(
            "Instruction to reviewers; kept with each review.",
            label="Instruction",
            explained="Shown above every item, and kept with each review.",
        ),
    ] = ""
