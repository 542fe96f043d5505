"""A job's order: what a person asks for, and the command line that asks for the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from exam_core.aliases import LEXICAL, LEXICAL_NAMES
from exam_core.declared import Field, declared
from exam_core.errors import UsageError, visible
from exam_core.grading.backend import Reading
from exam_core.grading.modes.mode import Mode
from exam_core.grading.modes.papers import MODES
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
class JobRequest:
    """What a job is asked for: to carry out an order, or to say what that would take, at a price per hour of this
    machine.
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


SELF_RATING = "self-rating"


def is_lexical(order: Order) -> bool:
    """Whether the lexical grader is meant, which is no mode, since it asks no model.

    Raises UsageError where it is to have another name, or what only a model has.
    """
    names = [name for name in (order.mode, order.name) if name]
    if not names or names[0] not in LEXICAL_NAMES:
        return False
    if names[-1] not in LEXICAL_NAMES:
        raise UsageError(f"The grades of the lexical grader are called {LEXICAL}: leave --grader {names[-1]} out.")
    if fields := departing(order.options) | departing(order, ("collection", "mode", "name", "bank", "limit")):
        raise UsageError(f"The lexical grader asks no model: leave {', '.join(fields)} out.")
    return True


def completed(order: Order, modes: Mapping[str, Mode] = MODES) -> Order:
    """The order with its mode, its model and how that is run; a mode that labels passages takes no bank.

    A name that is a mode's means that mode, unless another one is named: then it is what the grades are called. The
    lexical grader has its name alone. `modes` are those that there are, by name.

    Raises UsageError where no mode is named, and the name is none's.
    """
    if is_lexical(order):
        return replace(order, mode="", name=LEXICAL)
    mode, name, options = order.mode, order.name or None, order.options.as_meant
    if not mode:
        if name and name not in modes:
            raise UsageError(
                f"--grader {visible(name, line_ends=False)[:80]}: there is no such grading mode. There are: lexical, "
                f"{', '.join(modes)}. A name of your own for the grades goes with --mode."
            )
        mode, name = name or SELF_RATING, None
    known = modes.get(mode)
    if known is None:  # Who carries it out says which there are.
        return replace(order, mode=mode, name=name, options=options)
    return replace(
        order,
        mode=mode,
        name=name,
        options=replace(options, model=options.model or known.model),
        bank=order.bank if known.asks_a_bank else None,
    )


def arguments(request: JobRequest) -> list[str]:
    """What follows `examboard grade` on a command line that means the same; what is at its default is left out."""
    fields = grader_options(completed(request.order))
    if request.plan:
        fields["--price"] = request.price
    return line(request.order.collection, fields, plan=request.plan)


def grader_options(order: Order) -> dict[str, Any]:
    """The options that say who grades, of a completed order."""
    known = MODES.get(order.mode)
    fields: dict[str, Any] = {"--bank": order.bank, "--grader": order.mode or order.name}
    if order.name and order.mode:
        fields |= {"--grader": order.name, "--mode": order.mode}
    options = order.options
    if known and options.model == known.model:
        options = replace(options, model="")
    return fields | departing(options) | departing(order, leave_out=("collection", "mode", "name", "bank"))


def line(collection: str, fields: Mapping[str, Any], *, plan: bool) -> list[str]:
    """Collection and options as arguments; what is None is left out, what is True has no value."""
    arguments = [collection]
    for option, value in fields.items():
        if value is not None:
            arguments += [option] if value is True else [option, str(value)]
    return [*arguments, "--plan"] if plan else arguments


def departing(of: Any, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """The declared fields that are not at their default, by their options."""
    return {
        field.option: value
        for name, field in declared(of.__class__).items()
        if name not in leave_out and (value := getattr(of, name)) != field.default
    }


def command(arguments: Sequence[str], words: Sequence[str] = ("grade",)) -> str:
    """The command line of these words and arguments, for a terminal."""
    return shlex.join(["examboard", *words, *arguments])
