"""Versions of question banks: how each came about, and its questions."""

from __future__ import annotations

import datetime as dt

import pandas as pd

from exam_core.store.commits import importer
from exam_core.store.snapshot import Snapshot
from exam_core.tables import QUESTIONS, VERSIONS


def version_questions(snapshot: Snapshot, bank: str, version: int) -> pd.DataFrame:
    """The questions of a version as rows of the table `questions`, in their order; empty where there is none."""
    rows = snapshot.query("SELECT * FROM questions WHERE bank_id = ? AND version = ?", [bank, version])
    return QUESTIONS.frame({name: rows[name] for name in QUESTIONS.names})


def told_version(
    snapshot: Snapshot | None, bank: str, version: int, *, reason: str, author: str = "", base: int | None = None
) -> pd.DataFrame:
    """A row of the table `versions` for a version that is made now; of one that is there, its row as it is.

    Parameters
    ----------
    snapshot : the collection as it is; None if there is none yet
    author : empty for the account and machine
    base : the version that was edited; None where it is brought as a whole
    """
    if snapshot is not None:
        known = snapshot.frame("versions")
        known = known[(known["bank_id"] == bank) & (known["version"] == version)]
        if len(known):
            return known.reset_index(drop=True)
    row = (bank, version, now(), author or importer() or "unknown", reason, base, None)
    return VERSIONS.frame({name: [value] for name, value in zip(VERSIONS.names, row, strict=True)})


def now() -> str:
    """The time as versions tell it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
