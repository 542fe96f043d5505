"""Every command: where it is, and what it is for. Only what is asked for is loaded."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from exam_core import answers, wings
from exam_core.command import BANKS, BRING, COMPARE, GRADE, GROUPS, LOOK, LOOK_AFTER, RELIABILITY, SHARE, START, Command
from exam_core.errors import UsageError

_PLACES = {
    "demo": Command("exam_core.cli.collection_commands", "demo", START),
    "open": Command("exam_core.cli.open_command", "open_dashboard", START),
    "import": Command("exam_core.cli.import_commands", group=START),
    "grade": Command("exam_core.cli.grade_commands", "grade", START),
    "template": Command("exam_core.cli.collection_commands", "template", BRING),
    "list": Command("exam_core.cli.collection_commands", "list_collections", LOOK),
    "jobs": Command("exam_core.cli.grade_commands", "jobs", GRADE),
    "export": Command("exam_core.cli.export_commands", group=SHARE),
    "cite": Command("exam_core.cli.collection_commands", "cite", SHARE),
    "alias": Command("exam_core.cli.collection_commands", "alias", LOOK_AFTER),
    "tags": Command("exam_core.cli.collection_commands", "tags", LOOK_AFTER),
    "check": Command("exam_core.cli.check_commands", "check", LOOK_AFTER),
    "clean": Command("exam_core.cli.check_commands", "clean", LOOK_AFTER),
    "backup": Command("exam_core.cli.check_commands", "backup", LOOK_AFTER),
    "bench": Command(
        "benchmarks.commands",
        group=LOOK_AFTER,
        summary="Time Examboard beside other tools; prints JSON. Without a command: analysis.",
    ),
}
_ANALYSES = {
    "leaderboard": START,
    "correlate": START,
    "evaluate": LOOK,
    "holes": LOOK,
    "agreement": COMPARE,
    "grid": COMPARE,
    "cutoffs": COMPARE,
    "swaps": COMPARE,
    "outliers": COMPARE,
    "significance": RELIABILITY,
    "stability": RELIABILITY,
    "whatif": BANKS,
}
"""The groups of the core's analyses, in the order in which they are listed; others stand behind these, under `LOOK`."""


def _analyses() -> dict[str, str]:
    """The analyses that are commands by themselves: what each is called in Python. Parts of a group are not."""
    within = tuple(f"{name}_" for name, command in (_PLACES | _WINGS).items() if not command.function)
    known = [name for name in answers.names() if not name.startswith(within)]
    ordered = sorted(known, key=lambda name: [*_GROUPED, *known].index(name))
    return {name.replace("_", "-"): name for name in ordered}


def group(name: str) -> str:
    """The heading under which a command is listed."""
    return _KNOWN[name].group if name in _KNOWN else _GROUPED.get(ANALYSES[name], LOOK)


def _in_order() -> tuple[str, ...]:
    listed = [name for name in [*_PLACES, *ANALYSES] if " " not in name]
    for name in (name for name in _WINGS if " " not in name):
        before = _WINGS[name].before
        listed.insert(listed.index(before) if before in listed else len(listed), name)
    return tuple(sorted(listed, key=lambda name: GROUPS.index(group(name))))


_WINGS = {name: command for wing in wings.WINGS.values() for name, command in wing.commands.items()}
"""Commands that wings have; `export report` is one of the group `export`."""
_GROUPED = _ANALYSES | {name: heading for wing in wings.WINGS.values() for name, heading in wing.headings.items()}
_KNOWN = _PLACES | _WINGS
ANALYSES = _analyses()
COMMANDS = _in_order()


def add(app: typer.Typer, name: str, typed: str = "") -> None:
    """Load a command, or a group, and add it to the application; `typed` is the word behind it."""
    if name in ANALYSES:
        from exam_core.cli.analysis_commands import command

        app.command(name, rich_help_panel=group(name))(command(ANALYSES[name]))
        return
    known = _KNOWN[name]
    try:
        module: Any = import_module(known.module)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "benchmarks":
            raise
        lenient = {"ignore_unknown_options": True}
        app.command(name, rich_help_panel=known.group, context_settings=lenient)(_of_the_source)
        return
    if known.function:
        app.command(name, rich_help_panel=known.group)(getattr(module, known.function))
    else:
        _add_those_of_wings(module.app, name, typed)
        app.add_typer(module.app, name=name, rich_help_panel=known.group)


def _add_those_of_wings(group: typer.Typer, name: str, typed: str) -> None:
    """Put the commands that wings have for a group where they say; none where one of its own is typed."""
    commands = group.registered_commands
    words = [command.name or command.callback.__name__ for command in commands if command.callback]
    if typed in words:
        return
    for whole, added in _WINGS.items():
        word = whole.removeprefix(f"{name} ")
        if word != whole and word not in words:
            group.command(word)(getattr(import_module(added.module), added.function))
            place = words.index(added.before) if added.before in words else len(words)
            commands.insert(place, commands.pop())
            words.insert(place, word)


def mention(app: typer.Typer, name: str) -> None:
    """Add what a command is for, for the list of all: nothing that works is loaded."""
    app.command(name, help=about(name), rich_help_panel=group(name))(lambda: None)


def about(name: str) -> str:
    """The first sentences of a command's help."""
    if name in ANALYSES:
        return answers.sentence(ANALYSES[name])
    command = _KNOWN[name]
    return command.summary or answers.sentence_in(command.module, command.function)


def _of_the_source(arguments: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Stands for the benchmarks where they are not."""
    del arguments
    raise UsageError("Benchmarks come with the source, not with the package: run this in the folder of the source.")
