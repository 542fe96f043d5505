"""The two sides of a measure of texts, from a collection: what its runs wrote, and a bank's questions as nuggets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from exam_core.asked import DEPTH, Order
from exam_core.numbers.arrays import Bools
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.snapshot_cache import kept
from exam_core.store.summary import run_ids
from exam_core.wings.neighbours.measures.sides import Nugget, Sides
from exam_core.wings.neighbours.store.texts import documents, read_nuggets, read_written
from exam_core.wording import counted, texts_come

KEPT = 4
"""Sides that are kept: they hold the texts."""


@dataclass(frozen=True, eq=False)
class AboutSides:
    """The sides of R runs and Q queries, and what else is to be known of them.

    Parameters
    ----------
    returned : (R, Q) whether the run returned a passage for the query, with or without text
    notes : sentences about passages and nuggets of which only the id is known
    """

    sides: Sides
    returned: Bools
    notes: tuple[str, ...]


@kept(KEPT)
def about_sides(snapshot: Snapshot, bank: BankRef, depth: int | None = DEPTH, order: Order = "score") -> AboutSides:
    """What the runs wrote for a bank's queries, and the bank's questions as nuggets; kept for the next who asks.

    The queries are those with a question that is on and has a text, sorted; a nugget is vital unless its importance
    says otherwise, and one to avoid is left out. Strings are the texts of a run's first passages, best first.

    Parameters
    ----------
    bank : with its version
    depth, order : which passages of a ranking are read, as in a `Labelling`
    """
    nuggets, unread = _nuggets(read_nuggets(snapshot, (bank.name, bank.version or 0)))
    runs, query_ids = run_ids(snapshot), list(nuggets)
    row = {run: place for place, run in enumerate(runs)}
    column = {query: place for place, query in enumerate(query_ids)}
    returned = np.zeros((len(runs), len(query_ids)), bool)
    strings: dict[tuple[int, int], list[str]] = {}
    places = silent = 0
    for run, unit, texts in read_written(snapshot, query_ids, depth=depth, order=order):
        key = row[run], column[unit]
        returned[key] = True
        known = [text for text in texts if text is not None]
        places, silent = places + len(texts), silent + len(texts) - len(known)
        if known:
            strings[key] = known
    found = Sides(runs, query_ids, strings, list(nuggets.values()), documents=lambda: _documents(snapshot))
    return AboutSides(found, returned, tuple(_notes(snapshot.collection, bank, silent, places, unread)))


def _nuggets(rows: pd.DataFrame) -> tuple[dict[str, list[Nugget]], int]:
    """The nuggets of each unit that has some with a text, and how many have none."""
    nuggets: dict[str, list[Nugget]] = {}
    has_text = np.array([isinstance(text, str) and bool(text.strip()) for text in rows["question_text"]], bool)
    for row in rows[has_text].itertuples():
        nuggets.setdefault(row.unit, []).append(Nugget(row.question_id, row.question_text, row.vital, row.weight))
    return nuggets, int((~has_text).sum())


def _notes(collection: str, bank: BankRef, silent: int, places: int, unread: int) -> list[str]:
    notes = []
    if silent:
        notes.append(
            f"{silent:,} of {places:,} ranked passages have no text: they count as empty answers. "
            f"{texts_come(collection)}"
        )
    if unread:
        notes.append(f"{counted({'questions': unread})} of bank {bank} without text: left out.")
    return notes


@kept(KEPT)
def _documents(snapshot: Snapshot) -> list[str]:
    return documents(snapshot)
