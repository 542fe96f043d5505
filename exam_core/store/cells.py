"""Grades and rankings as dense arrays of small integers, streamed from the store's files.

A *unit* is what a run is evaluated on: a query, or a query's facet where the rankings are by facet
(their query_id is then `query/facet`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from exam_core.store.grids import HOLE, GradeGrid, PlaceGrid
from exam_core.store.names import page_sql
from exam_core.store.pairs import ASKED
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import Snapshot, cached_by_snapshot
from exam_core.store.statements import Statements
from exam_core.tables import AVOID, OKAY, OTHER, UNREADABLE, VITAL

ALL_PLACES = 2**31 - 1
GRADES_AT_ONCE = 1 << 24
"""Grades of a part of a large collection."""
_HELD_BY_DUCKDB = "512MiB"
"""Of what it reads for a part, and of the questions of all."""


@dataclass(frozen=True)
class CellSource:
    """What one evaluation reads.

    Parameters
    ----------
    bank : (bank_id, version); None for a grader that labels passages directly
    grader_id : whose grades; None reads the judgments `qrels_id` as labels
    depth : places of a ranking that are read; None for all
    order : "score" takes the first by score (ties by doc_id descending), "rank" those whose rank in
        the file is at most `depth`, as the authors' code does
    raised : what is added to the grader's grades, their decimals read, before they are cut to whole numbers; at 0 whole
        grades are read as they are
    """

    bank: tuple[str, int] | None
    grader_id: str | None
    qrels_id: str | None = None
    depth: int | None = None
    order: str = "score"
    raised: float = 0.0

    @property
    def values(self) -> dict[str, Any]:
        """The parameters that statements name."""
        name, version = self.bank or (None, None)
        return {
            "bank": name,
            "version": version,
            "grader": self.grader_id,
            "qrels": self.qrels_id,
            "depth": self.depth or ALL_PLACES,
            "raised": self.raised,
        }


@dataclass(frozen=True)
class Cells:
    """Grades of P pairs x S slots, rankings of K places x R runs x Q units, and the lists of names.

    A pair is a passage under a unit. A slot is a question's place among its unit's questions; a
    grader that labels passages directly has one slot and no questions. Names are those of a gradebook, whose queries
    are the units.

    Parameters
    ----------
    query_ids, run_ids : names of units and runs, sorted
    docs : (P,) doc_id of each pair, a pyarrow array
    pair_query : (P,) the pair's unit; pairs are sorted by unit, then by doc_id
    question_ids : names of each unit's questions, in the order of their slots; none for labels
    grades : (P, S) UNGRADED where there is no grade, UNREADABLE where it is null
    enabled, weights : (Q, S) of the questions; a question without a weight weighs 1
    importance : (Q, S) VITAL, OKAY, OTHER or AVOID; None where all questions are vital
    of_bank : (Q, S) where each question stands in its bank, from 1
    slots : (K, R, Q) index of a pair, or HOLE or NOTHING
    missing : (R, Q) places within depth that the source file left out
    ungraded_pairs : distinct passages of a unit within depth that were never graded
    ungraded_queries : units of which nothing was graded, though questions, a pool or judgments name them
    """

    query_ids: list[str]
    docs: pa.Array
    pair_query: npt.NDArray[np.int32]
    question_ids: list[list[str]]
    grades: npt.NDArray[np.int8]
    enabled: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.float64]
    importance: npt.NDArray[np.int8] | None
    of_bank: npt.NDArray[np.int64]
    run_ids: list[str]
    slots: npt.NDArray[np.int32]
    missing: npt.NDArray[np.int64]
    ungraded_pairs: int
    ungraded_queries: list[str]


_PAGES = f"SELECT count(*) AS n FROM (SELECT DISTINCT query_id FROM rankings) WHERE {page_sql('query_id')} != ''"
# Where the rankings are by facet, a page's question without a facet, its labels and its judgments
# belong to each of its facets; what a facet has of its own comes first.
FACET = f"""
SELECT unit, page FROM (
    SELECT unit, {page_sql("unit")} AS page
    FROM (SELECT DISTINCT query_id AS unit FROM rankings)
) WHERE page IN (
    SELECT query_id FROM grades UNION SELECT query_id FROM judgments UNION SELECT query_id FROM questions
)
"""
_BANK = f"""
SELECT question_id, query_id, of_bank, enabled, coalesce(weight, 1) AS weight, coalesce(facet.unit, query_id) AS unit,
    CASE coalesce(importance, 'vital') WHEN 'vital' THEN {VITAL} WHEN 'okay' THEN {OKAY} WHEN 'avoid' THEN {AVOID}
        ELSE {OTHER} END::TINYINT AS importance
FROM ({IN_ORDER}) LEFT JOIN facet
    ON facet.page = query_id AND (facet_id IS NULL OR facet.unit = query_id || '/' || facet_id)
"""
_GRADED = "SELECT query_id, doc_id, {grade} AS grade FROM grades WHERE grader_id = $grader AND question_id IS NULL"
_JUDGED = "SELECT query_id, doc_id, relevance AS grade FROM judgments WHERE qrels_id = $qrels"
_LABEL = """
SELECT coalesce(facet.unit, query_id) AS unit, doc_id, grade
FROM ({labels}) LEFT JOIN facet ON facet.page = query_id
QUALIFY row_number() OVER (PARTITION BY coalesce(facet.unit, query_id), doc_id ORDER BY facet.unit IS NOT NULL) = 1
"""
_UNIT_CODE = """
SELECT unit, (row_number() OVER (ORDER BY unit) - 1)::INTEGER AS unit_code FROM (SELECT DISTINCT unit FROM {asked})
"""
# By id, not by the bank's order: what is drawn by a seed draws slots, and stays the same when a bank is ordered anew.
_SLOT = """
SELECT question_id, query_id, unit_code, of_bank, enabled, weight, importance,
    (row_number() OVER (PARTITION BY unit_code ORDER BY question_id) - 1)::INTEGER AS slot
FROM bank JOIN unit_code USING (unit)
"""
_QUESTION_CELLS = """
SELECT unit_code, doc_id, slot, coalesce({grade}, {unreadable})::{kind} AS grade
FROM grades JOIN slot ON slot.question_id = grades.question_id AND slot.query_id = grades.query_id
WHERE grader_id = $grader
"""
# Decimals are compared after rounding, as scores are: 3.3 + 0.7 is to reach 4.
_EXACT = "coalesce(decimal, grade)"
_RAISED = "floor(round(coalesce(decimal, grade) + $raised, 9))"
_LABEL_CELLS = """
SELECT unit_code, doc_id, 0::INTEGER AS slot, coalesce(grade, {unreadable})::{kind} AS grade
FROM label JOIN unit_code USING (unit)
"""
_ASKED_OF_LABELS = f"""
SELECT DISTINCT query_id AS unit FROM ({ASKED}) WHERE query_id NOT IN (SELECT page FROM facet)
"""
# A run's places count from its smallest source rank, 0 or 1.
_RUN_CODE = """
SELECT run_id, least(min(source_rank), 1) AS start, (row_number() OVER (ORDER BY run_id) - 1)::INTEGER AS run_code
FROM rankings GROUP BY run_id
"""
_RANKING = """
SELECT run_code, unit_code, max(source_place) AS last, bool_or(cut) AS is_cut, {held} AS held, {places} AS places
FROM (SELECT *, source_rank - start + 1 AS source_place FROM rankings JOIN run_code USING (run_id)) placed
JOIN unit ON unit.unit = placed.query_id GROUP BY ALL
"""
_BITS = 64
_HELD_AS_BITS = (
    "bit_count(bit_or(CASE WHEN source_place <= $depth THEN 1::UBIGINT << (source_place - 1) ELSE 0::UBIGINT END))"
)
_HELD = "count(DISTINCT source_place) FILTER (source_place <= $depth)"
"""Different places of the source within depth; as bits of a number, where they fit in one, many times faster."""
_PLACES = {"score": "coalesce(max(rank) FILTER (rank <= $depth), 0)", "rank": "count(*) FILTER (source_rank <= $depth)"}
"""How many places of a ranking are read."""
RANKED = {
    "score": "SELECT *, rank AS place FROM rankings WHERE rank <= $depth",
    "rank": "SELECT *, row_number() OVER (PARTITION BY run_id, query_id ORDER BY source_rank, rank) AS place "
    "FROM rankings WHERE source_rank <= $depth",
}
_PLACED = """
SELECT run_code, unit.unit_code, (place - 1)::INTEGER AS place, coalesce(pair_code, {hole})::INTEGER AS pair_code,
    CASE WHEN pair_code IS NULL THEN ranked.doc_id END AS ungraded_doc
FROM ({ranked}) ranked JOIN run_code USING (run_id) JOIN unit ON unit.unit = ranked.query_id
LEFT JOIN pair ON pair.unit_code = unit.unit_code AND pair.doc_id = ranked.doc_id
"""


def read_cells(snapshot: Snapshot, source: CellSource) -> Cells:
    """Read what one evaluation needs, once."""
    with snapshot.cursor() as cursor:
        run = Statements(snapshot, cursor, source.values)
        units, names = _units(run, _facets(snapshot))
        graded = _graded(run, units, names)
    return _together(graded, _ranked(snapshot, graded.pairs, source.depth, source.order))


def decimal_grades(snapshot: Snapshot, source: CellSource) -> npt.NDArray[np.float64]:
    """(P, S) the grades of `read_cells` with their decimals: the same pairs and slots."""
    with snapshot.cursor() as cursor:
        run = Statements(snapshot, cursor, source.values)
        units, names = _units(run, _facets(snapshot), _EXACT)
        return _graded(run, units, names, _EXACT).grades.astype(np.float64, copy=False)


def cells_in_parts(snapshot: Snapshot, source: CellSource) -> Iterator[Cells]:
    """The same, some of the units at a time: neither we nor DuckDB ever hold the grades of all of them."""
    with snapshot.cursor(narrow=True, most=_HELD_BY_DUCKDB, in_order=True) as cursor:
        run = Statements(snapshot, cursor, source.values)
        units, names = _units(run, _facets(snapshot))
        rows = run(
            "SELECT count(*) AS n FROM " + ("grades WHERE grader_id = $grader" if source.grader_id else "judgments")
        )
        step = max(1, len(units) * GRADES_AT_ONCE // max(rows["n"][0].as_py(), 1))
        run.keep("run_code", _RUN_CODE)
        for first in range(0, len(units), step):
            some = units[first : first + step]
            run.take("unit_code", _coded(some))
            graded = _graded(run, some, names)
            yield _together(graded, _rankings(run, graded.pairs, source.depth, source.order))
            names = []


def _units(run: Statements, facets: pa.Table, grade: str = "") -> tuple[list[str], list[str]]:
    """The units of a bank or of labels, and those that a grader of labels was asked about; `grade` as in `_graded`."""
    run.take("facet", facets)
    has_bank = bool(run.values["bank"])
    if has_bank:
        run.keep("bank", _BANK)
    else:
        graded = _GRADED.format(grade=grade or _grade(run))
        run.keep("label", _LABEL.format(labels=graded if run.values["grader"] else _JUDGED))
    run.keep("unit_code", _UNIT_CODE.format(asked="bank" if has_bank else "label"))
    units = run("SELECT unit FROM unit_code ORDER BY unit_code")["unit"].to_pylist()
    items = run(_ASKED_OF_LABELS)["unit"].to_pylist() if run.values["grader"] and not has_bank else []
    return units, items


def _grade(run: Statements) -> str:
    """The SQL of a whole grade."""
    return _RAISED if run.values["raised"] else "grade"


@dataclass(frozen=True)
class _Graded:
    """What was graded of some units: see `Cells`."""

    pairs: Pairs
    grades: npt.NDArray[np.int8]
    questions: _UnitQuestions
    ungraded: list[str]


def _graded(run: Statements, units: list[str], request: list[str], grade: str = "") -> _Graded:
    """What was graded; `grade` is the SQL of a grade with decimals, by default whole grades are read."""
    has_questions, width = bool(run.values["bank"]), 1
    if has_questions:
        run.keep("slot", _SLOT)
        width = run("SELECT coalesce(max(slot), 0) + 1 AS width FROM slot")["width"][0].as_py()
    grid = GradeGrid(width, np.float64 if grade else np.int8)
    cells = _QUESTION_CELLS if has_questions else _LABEL_CELLS
    for batch in run.batches(
        cells.format(unreadable=UNREADABLE, grade=grade or _grade(run), kind="DOUBLE" if grade else "TINYINT")
    ):
        grid.add(batch)
    pair_unit, docs, grades = grid.pairs()
    graded = np.unique(pair_unit)
    if has_questions:
        questions = _questions(run, graded)
    else:  # one slot that counts, and no names
        shape = (len(graded), 1)
        questions = _UnitQuestions([], np.ones(shape, bool), np.ones(shape), np.ones(shape, np.int64))
    names = [units[unit] for unit in graded]
    pairs = Pairs.of(names, np.searchsorted(graded, pair_unit).astype(np.int32), docs)
    ungraded = sorted({*(units if has_questions else request)} - {*names})
    return _Graded(pairs, np.ascontiguousarray(grades[:, : questions.enabled.shape[1]]), questions, ungraded)


def _together(graded: _Graded, ranked: _Ranked) -> Cells:
    return Cells(
        query_ids=list(ranked.pairs.units),
        docs=ranked.pairs.docs,
        pair_query=ranked.pairs.unit,
        question_ids=graded.questions.names,
        grades=graded.grades,
        enabled=graded.questions.enabled,
        weights=graded.questions.weights,
        importance=graded.questions.importance,
        of_bank=graded.questions.of_bank,
        run_ids=list(ranked.runs),
        slots=ranked.slots,
        missing=ranked.missing,
        ungraded_pairs=ranked.ungraded_pairs,
        ungraded_queries=graded.ungraded,
    )


def forget() -> None:
    """Read rankings anew when they are next asked for."""
    _facets.clear()
    _ranked.clear()


@cached_by_snapshot(64)
def _facets(snapshot: Snapshot) -> pa.Table:
    """Units whose page has questions, grades or judgments; of most collections none is a facet, and few rows tell."""
    with snapshot.cursor() as cursor:
        run = Statements(snapshot, cursor, {})
        return run(FACET if run(_PAGES)["n"][0].as_py() else f"{FACET} LIMIT 0")


@dataclass(frozen=True)
class _UnitQuestions:
    """The questions of units: see `Cells`."""

    names: list[list[str]]
    enabled: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.float64]
    of_bank: npt.NDArray[np.int64]
    importance: npt.NDArray[np.int8] | None = None


def _questions(run: Statements, graded: npt.NDArray[np.int32]) -> _UnitQuestions:
    """Names, switches, weights, importances and places of the graded units' questions."""
    rows = run("SELECT * EXCLUDE (query_id) FROM slot ORDER BY unit_code, slot")
    rows = rows.filter(np.isin(rows["unit_code"].to_numpy(), graded))
    slot = rows["slot"].to_numpy()
    unit = np.searchsorted(graded, rows["unit_code"].to_numpy())
    shape = len(graded), int(slot.max(initial=0)) + 1
    enabled, weights, importance = np.zeros(shape, bool), np.ones(shape), np.full(shape, VITAL, np.int8)
    enabled[unit, slot] = rows["enabled"].to_numpy()
    weights[unit, slot] = rows["weight"].to_numpy()
    importance[unit, slot] = rows["importance"].to_numpy()
    of_bank = np.zeros(shape, np.int64)
    of_bank[unit, slot] = rows["of_bank"].to_numpy()
    names = rows["question_id"].to_pylist()
    ends = np.append(np.flatnonzero(slot == 0), len(names)).tolist()
    listed = [names[start:end] for start, end in pairwise(ends)]
    return _UnitQuestions(listed, enabled, weights, of_bank, None if (importance == VITAL).all() else importance)


@dataclass(frozen=True)
class Pairs:
    """Passages of units, as a key: equal where they are the same in the same order, whoever graded; see `Cells`."""

    digest: bytes
    units: Sequence[str] = field(compare=False, repr=False)
    unit: npt.NDArray[np.int32] = field(compare=False, repr=False)
    docs: pa.Array = field(compare=False, repr=False)

    @classmethod
    def of(cls, units: Sequence[str], unit: npt.NDArray[np.int32], docs: pa.Array) -> Pairs:
        """With a hash of all of it."""
        digest = hashlib.blake2b(f"{docs.offset} {len(docs)} {len(units)}".encode(), digest_size=16)
        for column in (pa.array(units, pa.string()), pa.array(unit), docs):
            for buffer in column.buffers():
                digest.update(buffer or b"")
        return cls(digest.digest(), units, unit, docs)


@dataclass(frozen=True)
class _Ranked:
    """What runs ranked, as codes of pairs: see `Cells`."""

    pairs: Pairs
    runs: list[str]
    slots: npt.NDArray[np.int32]
    missing: npt.NDArray[np.int64]
    ungraded_pairs: int


@cached_by_snapshot(4)
def _ranked(snapshot: Snapshot, pairs: Pairs, depth: int | None, order: str) -> _Ranked:
    """The rankings; grading modes that graded the same passages share them."""
    with snapshot.cursor() as cursor:
        run = Statements(snapshot, cursor, {"depth": depth or ALL_PLACES})
        run.keep("run_code", _RUN_CODE)
        return _rankings(run, pairs, depth, order)


def _rankings(run: Statements, pairs: Pairs, depth: int | None, order: str) -> _Ranked:
    """The rankings of some units, and the places that the runs' files left out."""
    units, docs = len(pairs.units), pairs.docs
    run.take("unit", _coded(pairs.units))
    run.take("pair", {"unit_code": pairs.unit, "doc_id": docs, "pair_code": np.arange(len(docs), dtype=np.int32)})
    runs = run("SELECT run_id FROM run_code ORDER BY run_code")["run_id"].to_pylist()
    held_sql = _HELD_AS_BITS if depth is not None and depth <= _BITS else _HELD
    rankings = run(_RANKING.format(held=held_sql, places=_PLACES[order]))
    last, is_cut, in_file, places = (rankings[name].to_numpy() for name in ("last", "is_cut", "held", "places"))
    # A ranking that the file cut goes on to the depth; another one ends where it ends.
    expected = last if depth is None else np.where(is_cut, depth, np.minimum(last, depth))
    missing = np.zeros((len(runs), units), np.int64)
    missing[rankings["run_code"].to_numpy(), rankings["unit_code"].to_numpy()] = expected - in_file
    grid = PlaceGrid(int(places.max(initial=0)), len(runs), units)
    for batch in run.batches(_PLACED.format(ranked=RANKED[order], hole=HOLE)):
        grid.add(batch)
    return _Ranked(pairs, runs, grid.slots, missing, grid.ungraded())


def _coded(units: Sequence[str]) -> dict[str, Any]:
    """Units with their numbers."""
    return {"unit": pa.array(units, pa.string()), "unit_code": np.arange(len(units), dtype=np.int32)}
