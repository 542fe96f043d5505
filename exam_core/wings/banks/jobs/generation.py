"""What a person orders of a model that writes questions. Light to load: command lines are made of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

from exam_core.declared import Field
from exam_core.grading.options import GradingOptions


@dataclass(frozen=True)
class GenerationOrder:
    """Which questions are to be written, by whom, how; what is empty is at its default.

    Parameters
    ----------
    collection : whose queries are asked for
    bank : whose next version has the questions; a new one, if there is none of that name
    prompt : a name of `banks.prompts.PROMPTS`, or what the words in `template` are called
    template : a prompt of one's own; empty: that of the papers
    queries : ids with commas between; None: all that have a text
    schema : whether the server is asked for JSON; one that refuses is asked without
    """

    collection: Annotated[str, Field("Name of the collection.")]
    bank: Annotated[
        str, Field("Question bank that gets the questions, as a new version; a new name makes a bank.", "--bank")
    ]
    prompt: Annotated[
        str,
        Field(
            "trec-dl, car or car-json as in the papers, or a file with {query}, perhaps {subtopic} and {n}.",
            label="Prompt",
            explained="The papers' prompts, or words of your own.",
        ),
    ] = "trec-dl"
    template: Annotated[str, Field("The words of a prompt of your own, instead of a file.")] = ""
    options: GradingOptions = field(default_factory=GradingOptions)
    questions: Annotated[
        int,
        Field(
            "Number to ask for, if the prompt has {n}; all questions that a model writes are taken.",
            least=1,
            most=100,
            label="Questions for each query",
            explained="Number to ask for; a model may write more or fewer, and all are taken. The prompts for CAR name "
            "no number.",
        ),
    ] = 10
    queries: Annotated[
        str | None,
        Field(
            "Only these queries, comma-separated.",
            commas=True,
            label="Queries",
            explained="Query ids, comma-separated. If empty: all queries with a text.",
        ),
    ] = None
    schema: Annotated[bool, Field("Ask the server for JSON by a schema; if it refuses, ask without.")] = False
    reason: Annotated[
        str | None,
        Field(
            "Reason, kept with the version; by default the model and prompt.",
            label="Reason",
            explained="Kept with the version. If empty: the model and the prompt.",
        ),
    ] = None

    @property
    def as_meant(self) -> GenerationOrder:
        """The order with what is meant."""
        return replace(self, options=self.options.as_meant, reason=self.reason or None, queries=self.queries or None)


@dataclass(frozen=True)
class GenerationRequest:
    """What a job is asked for: to have questions written, or to say what that would take.

    Parameters
    ----------
    price : of an hour of this machine, in any currency; for a plan
    price_per_million : of a million tokens of the server; for a plan
    """

    order: GenerationOrder
    plan: Annotated[bool, Field("Print the prompts, time and price, and stop.")] = False
    price: Annotated[float | None, Field("Price of an hour of this machine, for the plan.", least=0)] = None
    price_per_million: Annotated[
        float | None,
        Field(
            "Price of a million tokens, prompts and replies alike, for the plan.",
            least=0,
            label="Price of a million tokens",
            explained="Price of prompts and replies alike, in any currency, for the plan.",
        ),
    ] = None
