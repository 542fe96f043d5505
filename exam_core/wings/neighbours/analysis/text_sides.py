"""The two sides of a measure of texts, from a collection: what its runs wrote, and a bank's questions as nuggets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from exam_core.asked import DEPTH, Order
from exam_core.numbers.arrays import Bools
from exam_core.store import Snapshot
from exam_core.store.names import BankRef
from exam_core.store.snapshot_cache import kept
from exam_core.wings.neighbours.measures.sides import Nugget, Sides
from exam_core.wings.neighbours.store.texts import AnswerTexts, documents, read_written
from exam_core.wording import counted, texts_come

Codes = npt.NDArray[np.int32]
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
    read = read_written(snapshot, bank=(bank.name, bank.version or 0), depth=depth, order=order)
    nuggets, unread = _nuggets(read)
    asked = [unit for unit, found in enumerate(nuggets) if found]
    place = np.full(len(read.units), -1, np.int32)
    place[asked] = np.arange(len(asked), dtype=np.int32)
    wanted = place[read.unit] >= 0
    run, query, doc = read.run[wanted], place[read.unit[wanted]], read.doc[wanted]
    returned = np.zeros((len(read.runs), len(asked)), bool)
    returned[run, query] = True
    has_text = np.array([text is not None for text in read.texts], bool)
    silent = int((~has_text[doc]).sum()) if len(doc) else 0
    found = Sides(
        run_ids=read.runs,
        query_ids=[read.units[unit] for unit in asked],
        strings=_strings(run, query, doc, read.texts),
        nuggets=[nuggets[unit] for unit in asked],
        documents=lambda: _documents(snapshot),
    )
    notes = _notes(snapshot.collection, bank, silent, len(doc), unread)
    return AboutSides(found, returned, tuple(notes))


def _nuggets(read: AnswerTexts) -> tuple[list[list[Nugget]], int]:
    """The nuggets of each unit, and how many have no text."""
    rows = read.nuggets
    number = {unit: place for place, unit in enumerate(read.units)}
    nuggets: list[list[Nugget]] = [[] for _ in read.units]
    unread = 0
    columns = ("question_id", "unit", "question_text", "vital", "weight")
    for name, unit, text, vital, weight in zip(*(rows[column].to_pylist() for column in columns), strict=True):
        if text is None or not text.strip():
            unread += 1
        else:
            nuggets[number[unit]].append(Nugget(name, text, vital, weight))
    return nuggets, unread


def _strings(run: Codes, query: Codes, doc: Codes, texts: list[str | None]) -> dict[tuple[int, int], list[str]]:
    """The texts of each ranking, by run and query; without those whose passages have none."""
    if not len(run):
        return {}
    starts = np.flatnonzero(np.r_[True, (run[1:] != run[:-1]) | (query[1:] != query[:-1])])
    ends = [*starts[1:].tolist(), len(run)]
    codes = doc.tolist()
    found = {}
    for key, start, end in zip(
        zip(run[starts].tolist(), query[starts].tolist(), strict=True), starts, ends, strict=True
    ):
        strings = [text for code in codes[start:end] if (text := texts[code]) is not None]
        if strings:
            found[key] = strings
    return found


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
