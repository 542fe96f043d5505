"""The table of analyses: each has a function that answers it, with its options.

The command, the notebook's method and their documents are made of that. A new analysis is a function, and its line
here; of a wing it is in `exam_core/wings/__init__.py`. What such a file needs loads when the analysis runs, because the
command line's help reads them all.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import exam_core
from exam_core import wings
from exam_core.answers.analysis import Analysis

_OWN = {
    **{name: f"{__name__}.rankings:{name}" for name in ("leaderboard", "correlate", "evaluate")},
    **{name: f"{__name__}.{name}:answer" for name in ("agreement", "outliers")},
}


@cache
def places() -> dict[str, str]:
    """The module and the function of each analysis, by its name in a notebook; those of wings too."""
    return _OWN | {
        name: f"{wings.__name__}.{wing}.{place}"
        for wing, declared in wings.WINGS.items()
        for name, place in declared.analyses.items()
    }


def names() -> tuple[str, ...]:
    """The analyses, as a notebook calls them, in alphabetical order."""
    return tuple(sorted(places()))


def named(name: str) -> Analysis:
    """An analysis by its name in a notebook, with what wings add to it; its file is loaded."""
    module, function = places()[name].split(":")
    analysis: Analysis = getattr(import_module(module), function)
    for more in wings.declared("added_options"):
        if more.name == name:
            analysis = more.added_to(analysis)
    return analysis


def sentence(name: str) -> str:
    """What an analysis answers, read from its file."""
    return sentence_in(*places()[name].split(":"))


def sentence_in(module: str, function: str) -> str:
    """The first paragraph that a function says of itself, or, without one, the help of the group of commands.

    The file is read and not loaded: the list of all commands need not wait.
    """
    path = Path(exam_core.__path__[0]).parent.joinpath(*module.split(".")).with_suffix(".py")
    about = rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")' if function else r'^app = [^\n]*help="(.*?)"'
    match = re.search(about, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return " ".join(match[1].split()) if match else ""
