"""What the graders of a collection are called."""

from __future__ import annotations

import pandas as pd

from exam_core.aliases import LONGEST_ALIAS
from exam_core.results import ResultTable, flag, text
from exam_core.store import Snapshot
from exam_core.store.summary import aliases_of
from exam_core.store.summary import names_of as names_of

ROWS = ResultTable(
    "aliases: rows",
    "Names of grading modes on pages, in charts and in tables for papers",
    text(
        "alias",
        "Name",
        f"Name on screen, at most {LONGEST_ALIAS} characters, unlike all others. Guessed from the id until somebody "
        "gives one.",
        pinned=True,
    ),
    text("grader", "Grading mode ID", "Used in links, commands, CSV and JSON; never changes.", width="large"),
    flag("given", "Given", "Somebody gave the name; it is not guessed."),
)


def called(snapshot: Snapshot) -> pd.DataFrame:
    """`ROWS`, by id."""
    given = dict(snapshot.aliases)
    found = aliases_of(snapshot)
    return ROWS.of([(alias, grader, given.get(grader) == alias) for grader, alias in found.items()])
