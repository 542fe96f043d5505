"""Fields that people fill in, declared once: command lines and forms are made of them. Every room may take it.

A field is declared where it stands in its dataclass:

    beams: Annotated[int, Field("Width of the search; 1 is greedy.", least=1, most=64)] = 5

Its type says what may be given: a `Literal` its choices, a type or None what may stay empty.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from exam_core.errors import UsageError
from exam_core.wording import listed, plain_decimal, plain_number

Every = Literal["all"]
"""What stands for every value there is: `int | Every`."""
ALL: Every = "all"
NOTHING = dataclasses.MISSING
"""The default of a field that must be given."""


@dataclass(frozen=True)
class Field:
    """What people are told of a field.

    Parameters
    ----------
    help : one sentence, for the command line
    option : how the command line spells it, for instance `--grader`, or two spellings; empty: as the field is named
    commas : whether a list is one option with commas between, and not one that is repeated
    argument : whether the command line has it without a name
    least, most : inclusive
    label : how a form names it; empty: no form asks for it
    explained : what the form says of it; empty: `help`
    in_words : its choices for people, where the values don't speak for themselves
    """

    help: str
    option: str = ""
    commas: bool = False
    argument: bool = False
    least: float | None = None
    most: float | None = None
    label: str = ""
    explained: str = ""
    in_words: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Declared:
    """A field of a dataclass: its type without what was declared beside it, and its default, NOTHING if it must be
    given.
    """

    name: str
    kind: Any
    default: Any
    about: Field

    @property
    def option(self) -> str:
        """How the command line spells it."""
        return self.about.option.split(" ")[0] or f"--{self.name.replace('_', '-')}"

    @property
    def parts(self) -> tuple[Any, ...]:
        """What may be given: the parts of a union, without None."""
        is_union = get_origin(self.kind) not in (None, Literal, list)
        return tuple(part for part in get_args(self.kind) if part is not type(None)) if is_union else (self.kind,)

    @property
    def type(self) -> Any:
        """What is given where something is: `int` of `int | None`, also of a list of them."""
        kinds = [get_args(part)[0] if get_origin(part) is list else part for part in self.parts]
        return next((kind for kind in kinds if kind in (int, float, str, bool, Path)), self.kind)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.type is bool

    @property
    def is_list(self) -> bool:
        """Whether several values may be given."""
        return any(get_origin(part) is list for part in self.parts)

    @property
    def takes_all(self) -> bool:
        """Whether `all` may be given."""
        return Every in self.parts

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that may be given; empty where any may."""
        return next((get_args(part) for part in self.parts if get_origin(part) is Literal and part != Every), ())

    @property
    def is_number(self) -> bool:
        """Whether a number may be given that is whole, or is not."""
        return {int, float} <= {*self.parts}

    @property
    def is_worded(self) -> bool:
        """Whether the command line has it as a text that says more than one value of its type."""
        return self.takes_all or self.is_number or (self.is_list and self.about.commas)

    def typed(self, value: Any) -> Any:
        """What was typed, as its type. Raises UsageError where it is none of these."""
        if value is None or not self.is_worded or (self.takes_all and value == ALL):
            return ALL if value == ALL else value
        if self.type is str:
            return listed(value)
        read = plain_decimal if self.is_number else plain_number
        counts = [read(name) for name in (listed(value) if self.is_list else [value])]
        if not counts or None in counts:
            bounds = "" if self.about.most is None else f" from {self.about.least} to {self.about.most}"
            kind = "a number" if self.is_number else "a whole number"
            wanted = f"comma-separated numbers{bounds}" if self.is_list else f"{kind}{bounds}"
            raise UsageError(f"{self.option} {value}: give {wanted}{', or all' if self.takes_all else ''}.")
        return counts if self.is_list else counts[0]

    def given(self, value: Any) -> Any:
        """What was given in Python, as its type; a measure of ir_measures as it prints.

        Raises UsageError where it is of another type.
        """
        if (value is None and self.default is None) or (self.takes_all and isinstance(value, str) and value == ALL):
            return value
        if not self.is_list:
            return self._one(value, value)
        if isinstance(value, str) and self.type is str:
            return listed(value)
        many = value if isinstance(value, list | tuple) else [value]
        return list(dict.fromkeys(self._one(each, value) for each in many))

    def _one(self, value: Any, whole: Any) -> Any:
        """A value of its type; `whole` is what was given."""
        if self.is_switch or self.choices:
            if value in ((True, False) if self.is_switch else self.choices) and type(value) is not int:
                return value
        elif self.type in (int, float):
            kind = numbers.Integral if self.type is int and not self.is_number else numbers.Real
            if isinstance(value, kind) and not isinstance(value, bool):
                return float(value) if self.is_number and value != value // 1 else self.type(value)
        elif isinstance(value, str | Path) if self.type is Path else isinstance(value, str):
            return self.type(value)
        elif type(value).__module__.partition(".")[0] == "ir_measures":
            return str(value)
        raise UsageError(f"{self.name}={whole!r:.80}: give {self._wanted()}.")

    def _wanted(self) -> str:
        if self.choices:
            return " or ".join(map(repr, self.choices))
        if self.is_list and self.type is str:
            return "names, in a list or comma-separated"
        kinds = {bool: "True or False", int: "a whole number", float: "a number", Path: "the path of a file"}
        kind = float if self.is_number else self.type
        wanted = "whole numbers in a list" if self.is_list else kinds.get(kind, "a text")
        return f"{wanted}, or 'all'" if self.takes_all else wanted


UNTYPED = {"typed": False}
"""Metadata of a dataclass's field that no command line can say."""


def typed_fields(owner: Any) -> list[dataclasses.Field[Any]]:
    """The fields of a dataclass that a command line can say."""
    return [field for field in dataclasses.fields(owner) if field.metadata.get("typed", True)]


@cache
def declared(owner: type) -> dict[str, Declared]:
    """The declared fields of a dataclass by their names, in its order; without those of dataclasses within it."""
    hints = get_type_hints(owner, include_extras=True)
    fields = (declared_as(field.name, hints[field.name], default_of(field)) for field in dataclasses.fields(owner))
    return {field.name: field for field in fields if field is not None}


def declared_as(name: str, hint: Any, default: Any = NOTHING) -> Declared | None:
    """A field as its annotation declares it; None where that declares nothing."""
    kind, *others = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return next((Declared(name, kind, default, about) for about in others if isinstance(about, Field)), None)


def about(hint: Any) -> Field:
    """What is declared of a type: `about(Depth).label`."""
    return next(annotation for annotation in get_args(hint) if isinstance(annotation, Field))


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a dataclass's field, made where it is made anew for each; NOTHING where it must be given."""
    return field.default if field.default_factory is NOTHING else field.default_factory()


def whole(value: int | Every | None) -> int | None:
    """A number, or None, which stands for all where somebody is asked for `all`."""
    return None if isinstance(value, str) else value


def read_fields(owner: type, text: str) -> Any:
    """An instance of a dataclass of declared fields from `beta=5,terms=idf`; what is left out is as usual.

    Raises ValueError for an unknown field or value, or a field twice; the message says which there are.
    """
    fields, record = declared(owner), {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name in record:
            raise ValueError(f"{name} is given twice.")
        if not equals or name not in fields:
            spelled = (f"{field.name}={'|'.join(field.choices) or field.default}" for field in fields.values())
            raise ValueError(f"{part} is none of its options: {', '.join(spelled)}.")
        record[name] = _value(fields[name], value)
    return owner(**record)


def written(options: Any) -> str:
    """Declared fields that are not as usual, as `read_fields` reads them, in brackets; empty where all are."""
    if options is None:
        return ""
    owner: type = type(options)
    fields = declared(owner)
    record = {name: getattr(options, name) for name, field in fields.items()}
    parts = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in record.items()
        if value != fields[name].default
    ]
    return f"({','.join(parts)})" if parts else ""


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
        raise ValueError(f"{field.name}={text} is not a number.") from None
    least, most = field.about.least, field.about.most
    if value != value or (least is not None and value < least) or (most is not None and value > most):
        raise ValueError(f"{field.name}={text}: give a number from {least} to {most}.")
    return value
