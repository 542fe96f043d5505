"""A collection as it would be with one more version of a bank; nothing is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from exam_core.store.database import quoted
from exam_core.store.names import BankRef
from exam_core.store.snapshot import SQL_TYPE, Snapshot, empty_sql
from exam_core.store.summary import bank_version
from exam_core.tables import QUESTIONS

Row = dict[str, Any]
"""A row of the table `questions`, by column."""


def with_version(snapshot: Snapshot, bank: str, base: int | None, added: Sequence[Row]) -> tuple[Snapshot, BankRef]:
    """The collection with a version of the bank that holds all of `base`, and some more questions.

    Parameters
    ----------
    base : a version of the bank; None: there is nothing but what is added
    added : questions that are not in `base`

    Returns
    -------
    the collection, and the name of that version: one more than the newest
    """
    version = bank_version(snapshot, bank) + 1
    known = snapshot.tables.get("questions") or empty_sql("questions")
    names = ", ".join(QUESTIONS.names)
    parts = [f"SELECT {names} FROM ({known})"]
    if base is not None:
        again = ", ".join(f"{version} AS version" if name == "version" else name for name in QUESTIONS.names)
        where = f"bank_id = {quoted(bank)} AND version = {base}"
        parts.append(f"SELECT {again} FROM ({known}) WHERE {where}")
    parts += [_row(row | {"bank_id": bank, "version": version}) for row in added]
    sql = " UNION ALL ".join(parts)
    fingerprint = hashlib.sha256(f"{snapshot.fingerprint} {sql}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    there = replace(snapshot, tables=snapshot.tables | {"questions": sql}, fingerprint=fingerprint, folder=None)
    return there, BankRef(bank, version)


def _row(row: Row) -> str:
    cells = (
        f"{_literal(row.get(column.name))}::{SQL_TYPE[column.kind]} AS {column.name}" for column in QUESTIONS.columns
    )
    return f"SELECT {', '.join(cells)}"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return str(value)
