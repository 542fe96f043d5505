"""Every command: where it is, and what it is for. Only what is asked for is loaded."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from exam_core import answers, wings
from exam_core.cli.command import Command
from exam_core.errors import UsageError

_FIRST = {
    "open": Command("open_command", "open_dashboard"),
    "list": Command("list_command", "list_collections"),
}
_FURTHER = {
    "tags": Command("tags_command", "tags"),
    "cite": Command("cite_command", "cite"),
    "reproduce": Command("reproduce_command", "reproduce"),
    "grade": Command("grade_commands", "grade"),
    "mode": Command("mode_commands"),
    "jobs": Command("grade_commands", "jobs"),
    "alias": Command("alias_command", "alias"),
    "doctor": Command("doctor_command", "doctor"),
    "check": Command("check_commands", "check"),
    "clean": Command("check_commands", "clean"),
    "simulate": Command("demo_commands", "simulate"),
    "demo": Command("demo_commands", "demo"),
    "notes": Command("notes_command", "notes"),
    "import": Command("import_commands"),
    "template": Command("template_command", "template"),
    "export": Command("export_commands"),
    "bench": Command(
        "benchmarks.commands", said="Time Examboard beside other tools; prints JSON. Without a command: analysis."
    ),
}
_ANALYSES = (
    *("leaderboard", "correlate", "agreement", "grid", "cutoffs", "significance", "stability"),
    *("swaps", "outliers", "holes", "whatif"),
)
"""Analyses in the order in which they are listed; others come behind these."""


def _analyses() -> dict[str, str]:
    """The analyses that are commands by themselves: what each is called in Python. A wing says where its own stand."""
    places = [name for name in _ANALYSES if name in answers.names()]
    for name, before in wings.declared("cli.commands", "ANALYSES"):
        places.insert(places.index(before) if before in places else len(places), name)
    groups = tuple(f"{name}_" for name, one in (_FURTHER | _WINGS).items() if not one.function)
    known = [name for name in answers.names() if not name.startswith(groups)]
    ordered = sorted(known, key=lambda name: places.index(name) if name in places else len(places))
    return {name.replace("_", "-"): name for name in ordered}


def _of_wings() -> dict[str, Command]:
    """The commands that wings have; `export report` is one of the group `export`."""
    found: dict[str, Command] = {}
    for module in wings.modules("cli.commands"):
        found |= getattr(module, "COMMANDS", {})
    return found


def _in_order() -> tuple[str, ...]:
    listed = [*_FIRST, *ANALYSES, *_FURTHER]
    for name, one in _WINGS.items():
        if " " not in name:
            listed.insert(listed.index(one.before) if one.before in listed else len(listed), name)
    return tuple(listed)


_WINGS = _of_wings()
ANALYSES = _analyses()
_KNOWN = _FIRST | _FURTHER | _WINGS
COMMANDS = _in_order()


def add(app: typer.Typer, name: str) -> None:
    """Load a command, or a group, and add it to the application."""
    if name in ANALYSES:
        from exam_core.cli.analysis_commands import command

        app.command(name)(command(ANALYSES[name]))
        return
    found = _KNOWN[name]
    try:
        loaded: Any = import_module(found.place)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "benchmarks":
            raise
        app.command(name, context_settings={"ignore_unknown_options": True})(_of_the_source)
        return
    if found.function:
        app.command(name)(getattr(loaded, found.function))
    else:
        _add_those_of_wings(loaded.app, name)
        app.add_typer(loaded.app, name=name)


def _add_those_of_wings(group: typer.Typer, name: str) -> None:
    """Put the commands that wings have for a group where they say."""
    listed = group.registered_commands
    there = [one.name or one.callback.__name__ for one in listed if one.callback]
    for whole, found in _WINGS.items():
        word = whole.removeprefix(f"{name} ")
        if word != whole and word not in there:
            group.command(word)(getattr(import_module(found.place), found.function))
            place = there.index(found.before) if found.before in there else len(there)
            listed.insert(place, listed.pop())
            there.insert(place, word)


def mention(app: typer.Typer, name: str) -> None:
    """Add what a command is for, for the list of all: nothing that works is loaded."""
    app.command(name, help=about(name))(_nothing)


def about(name: str) -> str:
    """The first sentences of a command's help."""
    if name in ANALYSES:
        return answers.sentence(ANALYSES[name])
    return _KNOWN[name].about


def _of_the_source(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Stands for the benchmarks where they are not."""
    del arguments
    raise UsageError("Benchmarks come with the source, not with the package: run this in the folder of the source.")


def _nothing() -> None:
    """Stands for a command in the list of all."""
