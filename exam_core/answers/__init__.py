"""The table of answers: a file for each analysis says its options and how they are answered.

The command, the notebook's method and their documents are made of that, so a new analysis is one file here, named as
its command is. What such a file needs loads when the analysis runs, because the command line's help reads them all.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from exam_core.answers.analysis import Analysis

HELPERS = {"analysis", "answer", "asking", "drawing"}


@cache
def names() -> tuple[str, ...]:
    """The analyses, as a notebook calls them, in alphabetical order."""
    return tuple(sorted({module.name for module in pkgutil.iter_modules(__path__)} - HELPERS))


def named(name: str) -> Analysis:
    """An analysis by its name in a notebook; its file is loaded."""
    found: Analysis = import_module(f"{__name__}.{name}").answer
    return found


def titled(page: str = "") -> Iterator[tuple[str, Analysis]]:
    """The analyses that pages and slides are made of, by name: all of them, or those of a page."""
    for name in names():
        found = named(name)
        if found.title and page in ("", found.page):
            yield name, found
