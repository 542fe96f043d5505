"""Commands whose options are the fields of dataclasses, so that what an option means is said once (`declared.py`).

    @takes_declared(first=("collection", "bank"))
    def grade(request: JobRequest, form: FormatOption = Form.TABLE) -> None: ...

has an option for each field of `JobRequest`, and of dataclasses within it, and is called with a `JobRequest`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, get_args, get_type_hints

import typer

from exam_core.declared import NOTHING, Declared, Field, declared, declared_as, default_of, typed_fields

Command = Callable[..., None]


def takes_declared(*, first: Sequence[str] = (), leave_out: Sequence[str] = ()) -> Callable[[Command], Command]:
    """Give a command an option for each field of the dataclasses among its parameters; it is called with those.

    A field that is declared by a `Field`, or annotated as Typer has it, is an option; one without a default is an
    argument, unless its `Field` spells an option. Other parameters of the command stay as they are. The help lists the
    options `first` before the others. Fields in `leave_out` keep their default. Names in both may be of options that a
    wing brings, and that are not there without it.

    Raises TypeError where a field declares nothing, or two have the same name.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        owned: dict[str, Parameter] = {}
        for name, parameter in inspect.signature(command).parameters.items():
            new = parameters_of(hints[name]) if is_dataclass(hints[name]) else {name: _own(parameter, hints[name])}
            _refuse_twice(owned, new)
            owned |= new
        left = {name: owned.pop(name).default for name in leave_out if name in owned}
        listed = [owned[name] for name in dict.fromkeys([*first, *owned]) if name in owned]

        @wraps(command)
        def run(**fields: Any) -> None:
            fields |= left
            command(**{name: _value(name, hint, fields) for name, hint in of_command.items()})

        of_command = {name: hints[name] for name in inspect.signature(command).parameters}
        run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in listed}
        run.lists = {parameter.name for parameter in listed if _is_list(parameter)}  # type: ignore[attr-defined]
        del run.__wrapped__
        return run

    return decorate


def parameters_of(owner: Any) -> dict[str, Parameter]:
    """A parameter, as Typer reads it, for each field of a dataclass and of the dataclasses within it."""
    known, hints = declared(owner), get_type_hints(owner, include_extras=True)
    parameters: dict[str, Parameter] = {}
    for field in typed_fields(owner):
        hint = hints[field.name]
        if field.name in known:
            new = {field.name: _parameter(known[field.name])}
        elif is_dataclass(hint):
            new = parameters_of(hint)
        elif hasattr(hint, "__metadata__"):
            default = Parameter.empty if (default_value := default_of(field)) is NOTHING else default_value
            new = {field.name: Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)}
        else:
            raise TypeError(f"{owner.__name__}.{field.name} declares nothing that an option could say of it")
        _refuse_twice(parameters, new)
        parameters |= new
    return parameters


def built(owner: Any, fields: Mapping[str, Any]) -> Any:
    """The dataclass that was typed: its fields by their names, those of dataclasses within it among them."""
    hints, known = get_type_hints(owner), declared(owner)
    return owner(
        **{
            name: built(hints[name], fields)
            if is_dataclass(hints[name])
            else known[name].typed(fields[name])
            if name in known
            else fields[name]
            for name in (field.name for field in typed_fields(owner))
        }
    )


def _own(parameter: Parameter, hint: Any) -> Parameter:
    """A parameter that is no dataclass: declared by a `Field`, or as Typer has it."""
    default = NOTHING if parameter.default is Parameter.empty else parameter.default
    option = declared_as(parameter.name, hint, default)
    return _parameter(option) if option else parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY)


def _value(name: str, hint: Any, fields: Mapping[str, Any]) -> Any:
    if is_dataclass(hint):
        return built(hint, fields)
    option = declared_as(name, hint)
    return option.typed(fields[name]) if option else fields[name]


def _parameter(field: Declared) -> Parameter:
    about, required = field.about, field.default is NOTHING
    kind: Any
    if about.argument or (required and not about.option):
        kind = typer.Argument(help=about.help, show_default=False)
    else:
        least, most = (None, None) if field.is_worded else (about.least, about.most)
        # A switch that is off has no word to turn it off.
        spelled = [field.option] if field.default is False else about.option.split()
        kind = typer.Option(*spelled, help=about.help, min=least, max=most)
    type_, default = field.kind, field.default
    if field.is_worded:
        type_ = str if default is not None else str | None
        default = default if default is None or required else str(default)
    return Parameter(
        field.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if required else default,
        annotation=Annotated[type_, kind, about],
    )


def _is_list(parameter: Parameter) -> bool:
    """Whether a parameter was declared as a list with commas between."""
    return any(isinstance(about, Field) and about.commas for about in get_args(parameter.annotation))


def _refuse_twice(known: Mapping[str, Parameter], new: Mapping[str, Parameter]) -> None:
    if twice := set(known) & set(new):
        raise TypeError(f"two options are named {', '.join(sorted(twice))}")
