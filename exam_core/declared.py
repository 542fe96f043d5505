"""Fields that people fill in, declared once: command lines and forms are made of them. Every room may take it.

A field is declared where it stands in its dataclass:

    beams: Annotated[int, Field("Width of the search; 1 is greedy.", least=1, most=64)] = 5

Its type says what may be given: a `Literal` its choices, a type or None what may stay empty.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

NOTHING = dataclasses.MISSING
"""The default of a field that must be given."""


@dataclass(frozen=True)
class Field:
    """What people are told of a field.

    Parameters
    ----------
    help : one sentence, for the command line
    option : how the command line spells it, for instance `--grader`; empty: as the field is named
    least, most : bounds of a number, inclusive
    label : how a form names it; empty: no form asks for it
    explained : what the form says of it; empty: `help`
    in_words : its choices for people, where the values don't speak for themselves
    """

    help: str
    option: str = ""
    least: float | None = None
    most: float | None = None
    label: str = ""
    explained: str = ""
    in_words: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Declared:
    """A field of a dataclass as it was declared.

    Parameters
    ----------
    kind : its type, without what was declared beside it
    default : NOTHING where it must be given
    """

    name: str
    kind: Any
    default: Any
    about: Field

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return self.about.option or f"--{self.name.replace('_', '-')}"

    @property
    def type(self) -> Any:
        """What is given where something is: `int` of `int | None`."""
        return next((part for part in get_args(self.kind) if part is int or part is float or part is str), self.kind)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.type is bool

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that may be given; empty where any may."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


UNTYPED = {"typed": False}
"""Metadata of a dataclass's field that no command line can say."""


def typed_fields(owner: Any) -> list[dataclasses.Field[Any]]:
    """The fields of a dataclass that a command line can say."""
    return [field for field in dataclasses.fields(owner) if field.metadata.get("typed", True)]


@cache
def declared(owner: type) -> dict[str, Declared]:
    """The declared fields of a dataclass by their names, in its order; without those of dataclasses within it."""
    hints = get_type_hints(owner, include_extras=True)
    found = {}
    for field in dataclasses.fields(owner):
        if get_origin(hint := hints[field.name]) is Annotated:
            kind, *others = get_args(hint)
            for about in others:
                if isinstance(about, Field):
                    found[field.name] = Declared(field.name, kind, default_of(field), about)
    return found


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a dataclass's field, made where it is made anew for each; NOTHING where it must be given."""
    return field.default if field.default_factory is NOTHING else field.default_factory()


def read_fields(owner: type, text: str) -> Any:
    """An instance of a dataclass of declared fields from `beta=5,terms=idf`; what is left out is as usual.

    Raises
    ------
    ValueError : no such field, no such value, or a field twice; the message says which there are
    """
    fields, found = declared(owner), {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name in found:
            raise ValueError(f"{name} is given twice.")
        if not equals or name not in fields:
            raise ValueError(f"{part} is none of its options: {', '.join(map(_spelling, fields.values()))}.")
        found[name] = _value(fields[name], value)
    return owner(**found)


def written(options: Any) -> str:
    """Declared fields that are not as usual, as `read_fields` reads them, in brackets; empty where all are."""
    if options is None:
        return ""
    owner: type = type(options)
    fields = declared(owner)
    told = {name: getattr(options, name) for name, field in fields.items()}
    parts = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in told.items()
        if value != fields[name].default
    ]
    return f"({','.join(parts)})" if parts else ""


def _spelling(field: Declared) -> str:
    return f"{field.name}={'|'.join(field.choices) if field.choices else field.default}"


def _value(field: Declared, text: str) -> Any:
    """What is given for a field, as its type; a text may stand in quotes, as ir_measures prints it."""
    text = text.strip("'\"")
    if field.is_switch:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{field.name}={text}: choose True or False.")
        return text.lower() == "true"
    if field.choices:
        if text not in field.choices:
            raise ValueError(f"{field.name}={text}: choose {' or '.join(field.choices)}.")
        return text
    try:
        value = field.type(text)
    except ValueError:
        raise ValueError(f"{field.name}={text} is no number.") from None
    least, most = field.about.least, field.about.most
    if value != value or (least is not None and value < least) or (most is not None and value > most):
        raise ValueError(f"{field.name}={text}: give a number from {least} to {most}.")
    return value
