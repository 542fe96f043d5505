"""What a person orders of a model that writes questions. Light to load: command lines are made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from exam_core.declared import Field
from exam_core.grading.options import Options

TREC_DL = "trec-dl"
LONGEST_REPLY = 2048
"""Tokens of a reply, where nobody says more: ten questions take some 300."""


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
    bank: Annotated[str, Field("Question bank that gets them, as a new version; a new name makes a bank.", "--bank")]
    prompt: Annotated[
        str,
        Field(
            "trec-dl, car or car-json as in the papers, or a file with {query}, perhaps {subtopic} and {n}.",
            label="Prompt",
            explained="The papers' prompts, or words of your own.",
        ),
    ] = TREC_DL
    template: Annotated[
        str,
        Field(
            "The words of a prompt of your own, instead of a file.",
            label="Words of the prompt",
            explained="{query} stands for the query; {subtopic} for a part of it, and then each part is asked for; "
            "{n} for how many questions.",
        ),
    ] = ""
    options: Options = field(default_factory=Options)
    questions: Annotated[
        int,
        Field(
            "How many to ask for, where the prompt has {n}; what a model writes is all taken.",
            least=1,
            most=100,
            label="Questions for each query",
            explained="How many to ask for; a model may write more or fewer, and all are taken. The prompts for CAR "
            "name no number.",
        ),
    ] = 10
    queries: Annotated[
        str | None,
        Field(
            "Only these queries; commas between.",
            label="Queries",
            explained="Their ids with commas between; empty asks for all that have a text.",
        ),
    ] = None
    schema: Annotated[
        bool, Field("Ask the server for JSON by a schema; one that refuses is asked without.", option="--schema")
    ] = False
    reason: Annotated[
        str | None,
        Field(
            "Why: kept with the version; by default who wrote the questions.",
            label="Reason",
            explained="Is kept with the version; empty says which model wrote the questions, and with which prompt.",
        ),
    ] = None


@dataclass(frozen=True)
class GenerationRequest:
    """What a job is asked for: to have questions written, or to say what that would take.

    Parameters
    ----------
    price : of an hour of this machine, in any currency; for a plan
    price_per_million : of a million tokens of the server; for a plan
    """

    order: GenerationOrder
    plan: Annotated[bool, Field("Say what would be asked, how long and at what price.", option="--plan")] = False
    price: Annotated[float | None, Field("Price of an hour of this machine, for the plan.", least=0)] = None
    price_per_million: Annotated[
        float | None,
        Field(
            "Price of a million tokens, prompts and replies alike, for the plan.",
            least=0,
            label="Price of a million tokens",
            explained="Of prompts and replies alike, in any currency; the plan says what the job would cost.",
        ),
    ] = None
