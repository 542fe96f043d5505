"""Every command: where it is, and what it is for. Only what is asked for is loaded."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from exam_core import answers, wings
from exam_core.cli.command import Command
from exam_core.errors import UsageError

_FIRST = {
    "open": Command(
        "opening",
        "open_dashboard",
        "Start the dashboard, print its address and open it in the browser; Ctrl-C ends it.",
    ),
    "serve": Command(
        "serving",
        "serve",
        "Serve the dashboard to others: they sign in by OpenID Connect and have roles, or it is read-only; "
        "Ctrl-C ends it.",
    ),
    "list": Command(
        "reading",
        "list_collections",
        "The collections with their counts; one that is damaged is named, and the exit status is 1.",
    ),
}
_FURTHER = {
    "tags": Command(
        "tagging",
        "tags",
        "Tags of runs that a grader may favour; with a run and tags, set its tags.",
    ),
    "nrp-rank": Command(
        "generated",
        "nrp_rank",
        "Rank every generated answer among the judged documents of its query, one answer at a time; ranks are stored.",
    ),
    "cite": Command(
        "citing",
        "cite",
        "A methods paragraph that states every choice and version, and BibTeX of the papers whose measures are used.",
    ),
    "reproduce": Command(
        "reproducing",
        "reproduce",
        "Every figure that the papers print of a collection, beside ours, with the known reason where they differ.",
    ),
    "grade": Command(
        "grading",
        "grade",
        "Grade what is missing: every passage on every question of its query, or as a whole.",
    ),
    "mode": Command(
        "modes",
        "",
        "Modes of grading: the papers' and your own.",
    ),
    "gullible": Command(
        "gullibility",
        "gullible",
        "How often non-relevant passages get higher grades when the question, its words or praise are added.",
    ),
    "jobs": Command(
        "grading",
        "jobs",
        "Grading jobs of this store, newest first, with how far they are.",
    ),
    "alias": Command(
        "naming",
        "alias",
        "Names of graders on pages, in charts and in tables for papers; with a name, rename one.",
    ),
    "doctor": Command(
        "doctoring",
        "doctor",
        "Check Python, packages, devices, memory, models, network and the store.",
    ),
    "check": Command(
        "checking",
        "check",
        "Check every file of the store against its hash, and every record against the files that it lists.",
    ),
    "clean": Command(
        "checking",
        "clean",
        "Remove files of the store that nothing lists and that are older than a day.",
    ),
    "simulate": Command(
        "simulating",
        "simulate",
        "A collection of any size whose grades, judgments and runs are drawn from a model; by default of CAR "
        "Y3's size.",
    ),
    "demo": Command(
        "simulating",
        "demo",
        "Build the embedded collections: the demo and the papers' printed figures.",
    ),
    "bank": Command(
        "banks",
        "",
        "Question banks: make, bring, look at, edit, compare.",
    ),
    "notes": Command(
        "noting",
        "notes",
        "Notes on passages: author, time and text.",
    ),
    "review": Command(
        "reviews",
        "",
        "Reviews: people check the grader's work.",
    ),
    "import": Command(
        "importing",
        "",
        "Add files to a collection.",
    ),
    "template": Command(
        "templates",
        "template",
        "A small valid example file (run, qrels, bank, ...) to replace with your own; without a kind, lists all.",
    ),
    "export": Command(
        "exporting",
        "",
        "Write what a collection holds for other tools.",
    ),
    "bench": Command(
        "benchmarks.commands",
        "",
        "Time Examboard beside other tools; prints JSON. Without a command: analysis.",
    ),
}


_ANALYSES = (
    *("leaderboard", "correlate", "agreement", "grid", "cutoffs", "significance", "fidelity", "votes", "stability"),
    *("swaps", "outliers", "circularity", "holes", "whatif", "citations", "nuggets", "nrp", "nrp_expert"),
)
"""Analyses in the order in which they are listed; others come behind these."""
_GROUPED = ("bank_", "review_")
"""How analyses are called in Python that are commands of a group."""


def _analyses() -> dict[str, str]:
    """The analyses that are commands by themselves: what each is called in Python."""
    known = [name for name in answers.names() if not name.startswith(_GROUPED)]
    ordered = sorted(known, key=lambda name: _ANALYSES.index(name) if name in _ANALYSES else len(_ANALYSES))
    return {name.replace("_", "-"): name for name in ordered}


def _of_wings() -> dict[str, Command]:
    """The commands that wings have; `export report` is one of the group `export`."""
    found: dict[str, Command] = {}
    for module in wings.modules("cli.commands"):
        found |= module.COMMANDS
    return found


def _in_order() -> tuple[str, ...]:
    listed = [*_FIRST, *ANALYSES, *_FURTHER]
    for name, one in _WINGS.items():
        if " " not in name:
            listed.insert(listed.index(one.before) if one.before in listed else len(listed), name)
    return tuple(listed)


ANALYSES = _analyses()
_WINGS = _of_wings()
_KNOWN = _FIRST | _FURTHER | _WINGS
COMMANDS = _in_order()


def add(app: typer.Typer, name: str) -> None:
    """Load a command, or a group, and add it to the application."""
    if name in ANALYSES:
        from exam_core.cli.answering import command

        app.command(name)(command(ANALYSES[name]))
        return
    found = _KNOWN[name]
    try:
        loaded = _loaded(found)
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


def _loaded(found: Command) -> Any:
    return import_module(found.module if "." in found.module else f"exam_core.cli.{found.module}")


def _add_those_of_wings(group: typer.Typer, name: str) -> None:
    """Put the commands that wings have for a group where they say."""
    listed = group.registered_commands
    there = [one.name or one.callback.__name__ for one in listed if one.callback]
    for whole, found in _WINGS.items():
        word = whole.removeprefix(f"{name} ")
        if word != whole and word not in there:
            group.command(word)(getattr(_loaded(found), found.function))
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
