"""Grades and rankings as integer codes, ready for arrays.

A *unit* is what a run is evaluated on: a query, or a query's facet where the rankings are by facet
(their query_id is then `query/facet`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from exam_core.store.snapshot import Snapshot
from exam_core.tables import UNREADABLE

_ALL = 2**31 - 1
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """Grades by (pair, slot) and rankings by (run, unit, place), as codes into the lists of names.

    A pair is a passage under a unit; pairs are sorted by unit. A slot is a question's place among
    its unit's questions; a grader that labels passages directly has one slot and no questions.
    """

    units: list[str]
    docs: npt.NDArray[np.object_]
    pair_unit: Codes
    questions: list[str]
    question_unit: Codes
    question_slot: Codes
    enabled: npt.NDArray[np.bool_]
    cell_pair: Codes
    cell_slot: Codes
    cell_grade: npt.NDArray[np.int16]
    runs: list[str]
    ranked_run: Codes
    ranked_unit: Codes
    ranked_place: Codes
    ranked_pair: Codes
    missing: Codes
    ungraded_pairs: int
    ungraded_units: list[str]


# Where the rankings are by facet, a page's question without a facet, its labels and its judgments
# belong to each of its facets; what a facet has of its own comes first.
_FACET = r"""
SELECT unit, page FROM (
    SELECT DISTINCT query_id AS unit, regexp_extract(query_id, '^(.+)/[^/]+$', 1) AS page FROM rankings
) WHERE page IN (
    SELECT query_id FROM grades UNION SELECT query_id FROM judgments UNION SELECT query_id FROM questions
)
"""
_BANK = """
SELECT question_id, query_id, enabled, coalesce(facet.unit, query_id) AS unit
FROM questions LEFT JOIN facet
    ON facet.page = query_id AND (facet_id IS NULL OR facet.unit = query_id || '/' || facet_id)
WHERE bank_id = $bank AND version = $version
"""
_ASKED_OF_LABELS = """
SELECT query_id AS unit FROM (SELECT query_id FROM pool UNION SELECT query_id FROM judgments)
WHERE query_id NOT IN (SELECT page FROM facet)
"""
_ASKED_OF_NOBODY = "SELECT NULL::VARCHAR AS unit WHERE false"
_QUESTION_CELLS = """
SELECT b.unit, g.doc_id, b.question_id, g.grade FROM grades g
JOIN bank b ON g.question_id = b.question_id AND g.query_id = b.query_id
WHERE g.grader_id = $grader
"""
_LABEL_CELLS = """
SELECT coalesce(facet.unit, query_id) AS unit, doc_id, NULL AS question_id, grade
FROM grades LEFT JOIN facet ON facet.page = query_id
WHERE grader_id = $grader AND question_id IS NULL
QUALIFY row_number() OVER (PARTITION BY coalesce(facet.unit, query_id), doc_id ORDER BY facet.unit IS NOT NULL) = 1
"""
_JUDGMENT_CELLS = """
SELECT coalesce(facet.unit, query_id) AS unit, doc_id, NULL AS question_id, relevance AS grade
FROM judgments LEFT JOIN facet ON facet.page = query_id
WHERE qrels_id = $qrels
QUALIFY row_number() OVER (PARTITION BY coalesce(facet.unit, query_id), doc_id ORDER BY facet.unit IS NOT NULL) = 1
"""
_UNIT_CODE = "SELECT unit, row_number() OVER (ORDER BY unit) - 1 AS unit_code FROM (SELECT DISTINCT unit FROM cell)"
_PAIR = """
SELECT unit_code, doc_id, row_number() OVER (ORDER BY unit_code, doc_id) - 1 AS pair_code
FROM (SELECT DISTINCT unit_code, doc_id FROM cell JOIN unit_code USING (unit))
"""
_QUESTION_SLOT = """
SELECT question_id, unit_code, enabled,
    row_number() OVER (PARTITION BY unit_code ORDER BY question_id) - 1 AS slot
FROM bank JOIN unit_code USING (unit)
"""
_LABEL_SLOT = "SELECT NULL::VARCHAR AS question_id, unit_code, true AS enabled, 0::BIGINT AS slot FROM unit_code"
_RUN_CODE = """
SELECT run_id, row_number() OVER (ORDER BY run_id) - 1 AS run_code FROM (SELECT DISTINCT run_id FROM rankings)
"""
_PLACE = {
    "score": "rank",
    "rank": "row_number() OVER (PARTITION BY run_id, query_id ORDER BY source_rank, rank)",
}
# A run's places count from its smallest source rank, 0 or 1.
_RANKED = """
WITH placed AS (
    SELECT run_id, query_id, doc_id, cut, {place} AS place, source_rank,
        source_rank - least(min(source_rank) OVER (PARTITION BY run_id), 1) + 1 AS source_place
    FROM rankings
)
SELECT * FROM placed JOIN unit_code ON placed.query_id = unit_code.unit
"""
_MISSING = """
SELECT r.run_code, u.unit_code,
    CASE WHEN bool_or(cut) AND $limited THEN $depth
         ELSE least($depth, coalesce(max(source_place), 0)) END
    - count(DISTINCT source_place) FILTER (source_place <= $depth) AS missing
FROM run_code r CROSS JOIN unit_code u
LEFT JOIN ranked ON ranked.run_id = r.run_id AND ranked.unit_code = u.unit_code
GROUP BY ALL ORDER BY ALL
"""


def read_cells(
    snapshot: Snapshot,
    *,
    bank: tuple[str, int] | None,
    grader_id: str | None,
    qrels_id: str | None = None,
    depth: int | None,
    order: str = "score",
) -> Cells:
    """Read what one evaluation needs, once.

    Parameters
    ----------
    bank : (bank_id, version); None for a grader that labels passages directly
    grader_id : whose grades; None reads the judgments `qrels_id` as labels
    depth : places of a ranking that are read; None for all
    order : "score" takes the first by score (ties by doc_id descending), "rank" those whose rank in
        the file is at most `depth`, as the authors' code does
    """
    values = {
        "bank": bank and bank[0],
        "version": bank and bank[1],
        "grader": grader_id,
        "qrels": qrels_id,
        "depth": depth or _ALL,
        "limited": depth is not None,
    }
    steps = {
        "facet": _FACET,
        "bank": _BANK if bank else _ASKED_OF_LABELS if grader_id else _ASKED_OF_NOBODY,
        "cell": _QUESTION_CELLS if bank else _LABEL_CELLS if grader_id else _JUDGMENT_CELLS,
        "unit_code": _UNIT_CODE,
        "pair": _PAIR,
        "slot": _QUESTION_SLOT if bank else _LABEL_SLOT,
        "run_code": _RUN_CODE,
        "ranked": _RANKED.format(place=_PLACE[order]),
    }
    with snapshot.cursor() as cursor:
        run = _Runner(cursor, values)
        for name, select in steps.items():
            run(f"CREATE TEMP TABLE {name} AS {snapshot.with_tables(select)}")
        return _read(run, order)


class _Runner:
    """Runs statements on one cursor with the parameters that each of them names."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, values: dict[str, Any]) -> None:
        self.cursor, self.values = cursor, values

    def __call__(self, sql: str) -> dict[str, Any]:
        named = {name: value for name, value in self.values.items() if f"${name}" in sql}
        return self.cursor.execute(sql, named or None).fetchnumpy()


def _read(run: _Runner, order: str) -> Cells:
    units = run("SELECT unit FROM unit_code ORDER BY unit_code")["unit"]
    pairs = run("SELECT unit_code, doc_id FROM pair ORDER BY pair_code")
    slots = run("SELECT question_id, unit_code, slot, enabled FROM slot ORDER BY unit_code, slot")
    cells = run(
        f"SELECT pair_code, slot, coalesce(grade, {UNREADABLE})::SMALLINT AS grade FROM cell "
        "JOIN unit_code USING (unit) JOIN pair USING (unit_code, doc_id) "
        "JOIN slot ON slot.unit_code = pair.unit_code AND slot.question_id IS NOT DISTINCT FROM cell.question_id"
    )
    limit = "place" if order == "score" else "source_rank"
    ranked = run(
        "SELECT run_code, ranked.unit_code, place - 1 AS place, coalesce(pair_code, -1) AS pair_code "
        "FROM ranked JOIN run_code USING (run_id) LEFT JOIN pair "
        "ON pair.unit_code = ranked.unit_code AND pair.doc_id = ranked.doc_id "
        f"WHERE {limit} <= $depth"
    )
    ungraded = run(
        "SELECT count(*) AS n FROM (SELECT DISTINCT unit_code, doc_id FROM ranked "
        f"WHERE {limit} <= $depth EXCEPT SELECT unit_code, doc_id FROM pair)"
    )
    never = run("SELECT DISTINCT unit FROM bank ANTI JOIN unit_code USING (unit) ORDER BY unit")
    runs = run("SELECT run_id FROM run_code ORDER BY run_code")["run_id"]
    missing = run(_MISSING)["missing"]
    return Cells(
        units=[str(unit) for unit in units],
        docs=np.asarray(pairs["doc_id"], object),
        pair_unit=_codes(pairs["unit_code"]),
        questions=[] if not len(slots["question_id"]) else [str(name) for name in np.ma.getdata(slots["question_id"])],
        question_unit=_codes(slots["unit_code"]),
        question_slot=_codes(slots["slot"]),
        enabled=np.asarray(slots["enabled"], bool),
        cell_pair=_codes(cells["pair_code"]),
        cell_slot=_codes(cells["slot"]),
        cell_grade=np.asarray(cells["grade"], np.int16),
        runs=[str(name) for name in runs],
        ranked_run=_codes(ranked["run_code"]),
        ranked_unit=_codes(ranked["unit_code"]),
        ranked_place=_codes(ranked["place"]),
        ranked_pair=_codes(ranked["pair_code"]),
        missing=_codes(missing).reshape(len(runs), len(units)),
        ungraded_pairs=int(ungraded["n"][0]),
        ungraded_units=[str(unit) for unit in never["unit"]],
    )


def _codes(values: Any) -> Codes:
    return np.asarray(np.ma.getdata(values), np.int64)
