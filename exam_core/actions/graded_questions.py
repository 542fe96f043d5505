"""Questions of a table of grades: which of them are those of banks that the collection has."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from exam_core.analysis.evaluation.caveats import listed
from exam_core.formats import Reading
from exam_core.formats.reading import MakeAside
from exam_core.question import plain
from exam_core.store import Snapshot
from exam_core.tables import question_id
from exam_core.wording import counted, quoted

_KNOWN = """
SELECT bank_id, version, question_id, query_id, question_text FROM questions q
WHERE version = (SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id)
"""
_Key = tuple[str, str]
"""Query and question: its id, or its text."""


def join_banks(
    collection: str, known: Snapshot | None, reading: Reading, bank: str | None, aside: MakeAside
) -> list[str]:
    """Take graded questions for those of the collection's banks by id, or by text where a row had no id.

    The bank that has most of them counts first.

    Parameters
    ----------
    known : the collection as it is; None where it is new
    reading : of a table of grades; its questions and grades are changed
    bank : the only one that counts
    aside : where grades go that are too many for the memory

    Returns
    -------
    notes on questions of banks, and on those whose texts nobody knows
    """
    questions = reading.frames["questions"]
    found = _found(known, questions, bank)
    rows = list(zip(questions["query_id"], questions["question_id"], strict=True))
    of_bank = [found.get(key, (old, 1, key[1])) for key, old in zip(rows, questions["bank_id"], strict=True)]
    names, versions, ids = ([row[place] for row in of_bank] for place in range(3))
    reading.frames["questions"] = questions.assign(bank_id=names, version=versions, question_id=ids)
    renamed = {key: place[2] for key, place in found.items() if place[2] != key[1]}
    if renamed:
        reading.take("grades", (_renamed(part, renamed) for part in reading.parts("grades")), aside)
    joined = dict.fromkeys(name for name, *_ in found.values())
    notes = [f"{counted({'questions': len(found)})} of bank {listed(list(joined))}."] if joined else []
    bare = [
        key for key, text in zip(rows, questions["question_text"], strict=True) if key not in found and pd.isna(text)
    ]
    if bare:
        into = f"--collection {quoted(collection)} --bank {quoted(questions['bank_id'].iloc[0])}"
        notes.append(
            f"{counted({'questions': len(bare)})} without a text, such as {bare[0][1]}: the id is shown instead. "
            f"Add the texts with: examboard import bank FILE {into}"
        )
    return notes


def _renamed(grades: pd.DataFrame, names: Mapping[_Key, str]) -> pd.DataFrame:
    of_grades = zip(grades["query_id"], grades["question_id"], strict=True)
    return grades.assign(question_id=[names.get(key, key[1]) for key in of_grades])


def _found(known: Snapshot | None, questions: pd.DataFrame, bank: str | None) -> dict[_Key, tuple[str, int, str]]:
    """Bank, version and id of those questions that a bank has, by query and by their ids in the table."""
    rows = list(zip(questions["query_id"], questions["question_id"], questions["question_text"], strict=True))
    ids = {(query_id, own) for query_id, own, _ in rows}
    known_by_text = (row for row in rows if isinstance(row[2], str) and row[1] == question_id(row[0], row[2]))
    texts = {(query, plain(text)): (query, own) for query, own, text in known_by_text}
    of_banks: dict[str, dict[_Key, tuple[str, int, str]]] = {}
    for name, version, own, query, text in known.query(_KNOWN).itertuples(index=False) if known else ():
        key = (
            (query, own) if (query, own) in ids else texts.get((query, plain(text))) if isinstance(text, str) else None
        )
        if key and bank in (None, name):
            of_banks.setdefault(name, {})[key] = (name, int(version), own)
    return {key: place for of_bank in sorted(of_banks.values(), key=len) for key, place in of_bank.items()}
