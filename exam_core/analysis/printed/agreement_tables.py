"""The agreement tables that papers print."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import TAUS
from exam_core.analysis.judges.label_agreement import Agreement, grid_rows, of_confusion, of_matrix
from exam_core.errors import ExamboardError
from exam_core.numbers.annotator_agreement import binary_counts
from exam_core.numbers.arrays import Ints
from exam_core.store import Snapshot

_NO_QUERIES = "From a printed table; there are no queries to draw an interval from."


def agreement(snapshot: Snapshot, *, bank: str | None, tau: int, relevant_from: int) -> Agreement:
    """Agreement from a printed table: any cut of a graded matrix, the printed cut of a 2 x 2 table.

    Raises
    ------
    ExamboardError : no such table, or not at this cut; the message lists the cuts there are
    """
    name, rows = _table_at(snapshot, bank, tau, relevant_from)
    if _is_graded(rows):
        counted = _matrix(rows)
        found = of_matrix(*counted, tau=tau, relevant_from=relevant_from, label_rank=None, notes=[_NO_QUERIES])
    else:
        found = _of_2x2(rows, tau, relevant_from)
    return replace(found, bank=_bank_of(name))


def _table_at(snapshot: Snapshot, bank: str | None, tau: int, relevant_from: int) -> tuple[str, pd.DataFrame]:
    """Name and rows of the printed table that can be read at a cut: a graded one before 2 x 2 tables."""
    tables = _agreement_tables(snapshot, bank)
    for name, rows in tables.items():
        if _is_graded(rows):
            return name, rows
    cuts = {name: _printed_cut(rows) for name, rows in tables.items()}
    for name, cut in cuts.items():
        if cut == (tau, relevant_from):
            return name, tables[name]
    listed = "; ".join(f"tau {cut[0]}, judged ≥ {cut[1]} ({name})" for name, cut in cuts.items())
    raise ExamboardError(
        f"The papers print no table of {snapshot.collection} for tau {tau}, judged ≥ {relevant_from}. "
        f"Printed: {listed}."
    )


def agreement_grid(snapshot: Snapshot, *, bank: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Every cut of the printed graded matrix, or the cuts that 2 x 2 tables are printed for; and notes.

    Raises
    ------
    ExamboardError : no such table
    """
    tables = _agreement_tables(snapshot, bank)
    for rows in tables.values():
        if _is_graded(rows):
            matrix, labels, relevances = _matrix(rows)
            cuts = relevances[relevances > 0]
            counts = binary_counts(matrix, labels, relevances, np.array(TAUS), cuts)[:, :, None]
            return grid_rows(counts, TAUS, cuts.tolist(), label_rank=None), [_NO_QUERIES]
    frames = []
    for rows in tables.values():
        tau, relevant_from = _printed_cut(rows)
        counts = _of_2x2(rows, tau, relevant_from).confusion[None, None, None]
        frames.append(grid_rows(counts, [tau], [relevant_from], label_rank=None))
    notes = [_NO_QUERIES, "Only 2 x 2 tables are printed, so there is no other tau or threshold."]
    return pd.concat(frames, ignore_index=True), notes


def banks(snapshot: Snapshot) -> list[str]:
    """The banks that have a printed agreement table, in the order of print."""
    names = snapshot.frame("confusions")["confusion_id"]
    return list(dict.fromkeys(_bank_of(str(name)) for name in names))


def _agreement_tables(snapshot: Snapshot, bank: str | None) -> dict[str, pd.DataFrame]:
    """The printed agreement tables of a bank, or of all; refused where there is none."""
    tables = {str(name): rows for name, rows in snapshot.frame("confusions").groupby("confusion_id", sort=False)}
    mine = {name: rows for name, rows in tables.items() if bank is None or _bank_of(name) == bank}
    if not mine:
        raise ExamboardError(
            f"{snapshot.collection} has no agreement table"
            + (f" for bank {bank}. There are: {', '.join(tables)}." if tables else ".")
        )
    return mine


def _bank_of(name: str) -> str:
    """The bank that a printed table is about, or the paper."""
    return name.split()[0]


def _is_graded(rows: pd.DataFrame) -> bool:
    """Whether a table has a row for each grade: its labels are single ones, and more than two."""
    single = all(rows[name].str.fullmatch(r"\d").all() for name in ("grade", "relevance"))
    return single and rows["grade"].nunique() > 2


def _matrix(rows: pd.DataFrame) -> tuple[Ints, Ints, Ints]:
    """Counts, labels and relevances of a graded table, ascending."""
    numbers = rows.assign(grade=rows["grade"].astype(int), relevance=rows["relevance"].astype(int))
    wide = numbers.pivot(index="grade", columns="relevance", values="count").fillna(0).astype(np.int64)
    return wide.to_numpy(), wide.index.to_numpy(np.int64), wide.columns.to_numpy(np.int64)


def _of_2x2(rows: pd.DataFrame, tau: int, relevant_from: int) -> Agreement:
    counts = np.zeros((2, 2), np.int64)
    graded: dict[str, dict[str, int]] = {}
    for row in rows.itertuples():
        counts[int(lowest(row.grade) < tau), int(lowest(row.relevance) < relevant_from)] += row.count
        graded.setdefault(row.grade, {})[row.relevance] = int(row.count)
    return of_confusion(counts, graded, tau=tau, relevant_from=relevant_from, notes=[_NO_QUERIES])


def _printed_cut(rows: pd.DataFrame) -> tuple[int, int]:
    """The tau and the smallest relevance of a 2 x 2 table."""
    return _lowest_positive(rows["grade"]), _lowest_positive(rows["relevance"])


def lowest(labels: str) -> int:
    """Smallest label of a printed range: 1+2+3, 4-5, ≤0 (0) or a single one."""
    return min(int(digit) for digit in re.findall(r"\d", labels))


def _lowest_positive(labels: pd.Series) -> int:
    """Where the upper of two printed ranges begins."""
    return max(lowest(label) for label in labels.unique())
