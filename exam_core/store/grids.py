"""Dense arrays filled from batches of rows, in any order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from exam_core.tables import UNGRADED

HOLE, NOTHING = -1, -2
"""In the places of a ranking: a passage that was never graded, and no passage."""

Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


class GradeGrid:
    """Grades by pair and slot.

    Rows of one pair that follow each other, as files hold them, are one row of a block at once. Only
    where a pair's rows are scattered, or pairs are not in order, are the blocks' rows sorted and merged.
    """

    def __init__(self, width: int, kind: npt.DTypeLike = np.int8) -> None:
        self._width, self._kind = width, kind
        self._units: list[Codes] = [np.empty(0, np.int32)]
        self._docs: list[pa.Array] = [pa.array([], pa.string())]
        self._blocks: list[npt.NDArray[Any]] = [np.empty((0, width), kind)]

    def add(self, batch: pa.RecordBatch) -> None:
        """Take a batch of unit_code, doc_id, slot, grade."""
        units, docs = batch["unit_code"].to_numpy(), batch["doc_id"]
        is_first = _differs(units, docs)
        firsts = np.flatnonzero(is_first)
        block = np.full((len(firsts), self._width), UNGRADED, self._kind)
        block[np.cumsum(is_first) - 1, batch["slot"].to_numpy()] = batch["grade"].to_numpy()
        self._units.append(units[firsts])
        self._docs.append(docs.take(pa.array(firsts)))
        self._blocks.append(block)

    def pairs(self) -> tuple[Codes, pa.Array, npt.NDArray[Any]]:
        """Unit, doc_id and grades of every pair, ordered by unit and doc_id."""
        units, docs, grades = np.concatenate(self._units), pa.concat_arrays(self._docs), np.concatenate(self._blocks)
        self._units, self._docs, self._blocks = [], [], []
        later, same = units[1:] > units[:-1], units[1:] == units[:-1]
        is_ascending = (later | (same & _numpy(pc.greater_equal(docs[1:], docs[:-1])))).all()
        if not is_ascending:
            keys = [("unit", "ascending"), ("doc", "ascending")]
            order = pc.sort_indices(pa.table({"unit": units, "doc": docs}), sort_keys=keys)
            docs, order = docs.take(order), order.to_numpy()
            units, grades = units[order], grades[order]
        firsts = np.flatnonzero(_differs(units, docs))
        if len(firsts) < len(units):
            # UNGRADED is the smallest value there is.
            grades = np.maximum.reduceat(grades, firsts, axis=0)
            units, docs = units[firsts], docs.take(pa.array(firsts))
        return units, docs, grades


class PlaceGrid:
    """Pairs by place, run and unit, and what was never graded."""

    def __init__(self, places: int, runs: int, units: int) -> None:
        self.slots = np.full((places, runs, units), NOTHING, np.int32)
        self._ungraded: list[pa.Table] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Take a batch of run_code, unit_code, place from 0, pair_code or HOLE, and a hole's ungraded_doc."""
        place, run, unit, pair = (batch[name].to_numpy() for name in ("place", "run_code", "unit_code", "pair_code"))
        self.slots[place, run, unit] = pair
        holes = np.flatnonzero(pair == HOLE)
        if len(holes):
            rows = batch.select(["unit_code", "ungraded_doc"]).take(pa.array(holes))
            self._ungraded.append(pa.Table.from_batches([rows]))

    def ungraded(self) -> int:
        """Distinct passages of a unit that are read and were never graded."""
        if not self._ungraded:
            return 0
        return int(pa.concat_tables(self._ungraded).group_by(["unit_code", "ungraded_doc"]).aggregate([]).num_rows)


def _differs(units: Codes, docs: pa.Array) -> Bools:
    """Whether a row is of another pair than the row before it."""
    first: Bools = np.ones(len(units), bool)
    first[1:] = (units[1:] != units[:-1]) | _numpy(pc.not_equal(docs[1:], docs[:-1]))
    return first


def _numpy(flags: Any) -> Bools:
    return flags.to_numpy(zero_copy_only=False)
