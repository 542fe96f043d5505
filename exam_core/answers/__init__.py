"""The table of answers: a file for each analysis says its options and how they are answered.

The command, the notebook's method and their documents are made of that, so a new analysis is one file here, named as
its command is. What such a file needs loads when the analysis runs, because the command line's help reads them all.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from exam_core import wings
from exam_core.answers.analysis import Analysis

HELPERS = {"adding", "analysis", "answer", "asking", "drawing"}


@cache
def places() -> dict[str, tuple[str, Path]]:
    """The module of each analysis, and its file, by its name in a notebook; those of wings too."""
    folders = [(__name__, folder) for folder in __path__]
    folders += [(room, str(Path(str(import_module(room).__file__)).parent)) for room in wings.rooms("answers")]
    return {
        found.name: (f"{package}.{found.name}", Path(folder) / f"{found.name}.py")
        for package, folder in folders
        for found in pkgutil.iter_modules([folder])
        if found.name not in HELPERS
    }


def names() -> tuple[str, ...]:
    """The analyses, as a notebook calls them, in alphabetical order."""
    return tuple(sorted(places()))


def named(name: str) -> Analysis:
    """An analysis by its name in a notebook, with what wings add to it; its file is loaded."""
    found: Analysis = import_module(places()[name][0]).answer
    for more in wings.declared("answers.adding", "ADDED"):
        if more.name == name:
            found = more.added_to(found)
    return found


def sentence(name: str) -> str:
    """What an analysis answers, read from its file."""
    return sentence_in(places()[name][1], "answer")


def sentence_in(path: Path, function: str) -> str:
    """The first paragraph that a function says of itself, or, without one, the help of the group of commands.

    The file is read and not loaded: the list of all commands need not wait.
    """
    about = rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")' if function else r'^app = [^\n]*help="(.*?)"'
    said = re.search(about, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return " ".join(said[1].split()) if said else ""


def titled(page: str = "") -> Iterator[tuple[str, Analysis]]:
    """The analyses that pages and slides are made of, by name: all of them, or those of a page."""
    for name in names():
        found = named(name)
        if found.title and page in ("", found.page):
            yield name, found
