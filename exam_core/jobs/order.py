"""What a person orders: which collection is to be graded, by whom, how. Light to load: command lines are made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from exam_core.declared import Field
from exam_core.grading.backend import Reading
from exam_core.grading.options import GradingOptions, Unreadable


@dataclass(frozen=True)
class Order:
    """What is to be graded, by whom, how; what is empty is at its default (`ordering.completed`).

    Parameters
    ----------
    mode : a grading mode's name; empty: the one that `name` names, or self-rating where `name` is empty, too
    bank : `genq` or `genq@2`; None: the only bank, or none where the mode labels passages directly
    name : of the grader in the store; by default made of model, mode and what departs from the defaults
    reading : how answers are read; auto: as the mode says, or the backend writes them
    unreadable : what an answer counts that can't be read, where answers are read as FLAN-T5 writes them
    verification : words, or words-authors: compare answers as the papers say, or as the authors' code does
    verifier : the model that verifies, where a mode has answers verified by a model; by default the same
    limit : at most so many grades
    go_on : whether to go on where most of the first answers can't be read
    """

    collection: Annotated[str, Field("Name of the collection.")]
    mode: Annotated[
        str,
        Field(
            "Grading mode, if --grader is a name of your own; or the file of a mode of your own, my.toml.",
            label="Grading mode for the job",
            explained="A prompt, of the papers or your own, and the scale that it asks for.",
        ),
    ] = ""
    options: GradingOptions = field(default_factory=GradingOptions)
    bank: Annotated[str | None, Field("Question bank; genq@2 pins a version.")] = None
    name: Annotated[
        str | None,
        Field(
            "Grading mode, by default self-rating (docs/how-to/grade.md); with --mode: the name of the grades.",
            option="--grader",
            label="Name of the grader",
            explained="Name for the grades. If empty: made of model, mode and options.",
        ),
    ] = None
    reading: Annotated[
        Reading,
        Field(
            "How answers are read: by default chat for a server, flan-t5 otherwise; another reading asks no model "
            "again.",
            label="Answers are read",
            explained="Chat models write more than a grade. Another reading asks no model again, and its grades get "
            "a name of their own.",
            in_words={
                "auto": "as the backend writes them",
                "flan-t5": "as FLAN-T5 writes them",
                "chat": "as chat models write them",
            },
        ),
    ] = "auto"
    unreadable: Annotated[
        Unreadable,
        Field(
            "Grade of an unreadable answer: none, as in the papers, or as in their code.",
            label="An unreadable answer gives",
            explained="The grade of an unreadable answer.",
            in_words={
                "null": "no grade",
                "paper": "a grade, as in the papers",
                "authors": "a grade, as in the authors' code",
            },
        ),
    ] = "null"
    verification: Annotated[
        str | None, Field("words or words-authors: compare as the papers say, or as the authors' code.")
    ] = None
    verifier: Annotated[str | None, Field("Model that verifies answers, in the -llm modes.")] = None
    limit: Annotated[
        int | None,
        Field(
            "Largest number of grades.",
            least=1,
            label="Limit (grades)",
            explained="Largest number of grades. If empty: all missing ones.",
        ),
    ] = None
    go_on: Annotated[
        bool,
        Field(
            "Go on even if more than half of the first hundred answers can't be read; otherwise the job pauses (exit "
            "status 4)."
        ),
    ] = False


@dataclass(frozen=True)
class Request:
    """What a job is asked for: to carry out an order, or to say what that would take.

    Parameters
    ----------
    price : of an hour of this machine, in any currency; for a plan
    """

    order: Order
    plan: Annotated[bool, Field("Print the work, time and price, and stop.")] = False
    price: Annotated[
        float | None,
        Field(
            "Price of an hour of this machine, for the plan.",
            least=0,
            label="Price per hour",
            explained="Price of an hour of this machine, in any currency, for the plan.",
        ),
    ] = None
