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
    def choices(self) -> tuple[str, ...]:
        """The values that may be given; empty where any may."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


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
