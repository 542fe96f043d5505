"""What runs wrote, and the nuggets of a bank, as arrays and texts: the two sides of a measure of texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from exam_core.store.cells import FACET, RANKED
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import Snapshot

_ALL = 2**31 - 1
# A nugget to avoid is no fact that an answer should contain.
_NUGGETS = f"""
WITH facet AS ({FACET}),
asked AS (
    SELECT question_id, coalesce(facet.unit, query_id) AS unit, question_text, coalesce(weight, 1) AS weight,
        coalesce(importance, 'vital') = 'vital' AS vital, of_bank
    FROM ({IN_ORDER}) LEFT JOIN facet
        ON facet.page = query_id AND (facet_id IS NULL OR facet.unit = query_id || '/' || facet_id)
    WHERE enabled AND importance IS DISTINCT FROM 'avoid'
)
SELECT * FROM asked ORDER BY unit, of_bank
"""
_RUNS = "SELECT DISTINCT run_id FROM rankings ORDER BY run_id"
_PLACES = """
WITH run AS (
    SELECT run_id, (row_number() OVER (ORDER BY run_id) - 1)::INTEGER AS run_code
    FROM (SELECT DISTINCT run_id FROM rankings)
),
listed AS (
    SELECT run_code, unit_code, place, doc_id
    FROM ({ranked}) ranked JOIN run USING (run_id) JOIN unit ON unit.unit = ranked.query_id
),
doc AS (
    SELECT doc_id, (row_number() OVER (ORDER BY doc_id) - 1)::INTEGER AS doc_code
    FROM (SELECT DISTINCT doc_id FROM listed)
)
"""
_LISTED = "SELECT run_code, unit_code, doc_code FROM listed JOIN doc USING (doc_id) ORDER BY run_code, unit_code, place"
_TEXTS = "SELECT passage_text AS text FROM doc LEFT JOIN passages USING (doc_id) ORDER BY doc_code"
_DOCUMENTS = "SELECT passage_text AS text FROM passages WHERE passage_text IS NOT NULL"


@dataclass(frozen=True)
class AnswerTexts:
    """The nuggets of Q units, and the first passages of R runs for them.

    Parameters
    ----------
    units, runs : names, sorted; a unit is a query, or a facet where the rankings are by facet
    nuggets : question_id, unit, question_text, weight and vital of the enabled questions, by unit, in the bank's order
    run, unit, doc : (N,) codes of the passages, by run, unit and place
    texts : of each doc code; None where only the id is known
    """

    units: list[str]
    runs: list[str]
    nuggets: pa.Table
    run: npt.NDArray[np.int32]
    unit: npt.NDArray[np.int32]
    doc: npt.NDArray[np.int32]
    texts: list[str | None]


def read_written(snapshot: Snapshot, *, bank: tuple[str, int], depth: int | None, order: str = "score") -> AnswerTexts:
    """Read both sides, each text once.

    Parameters
    ----------
    bank : (bank_id, version)
    depth, order : as `read_cells`
    """
    with snapshot.cursor() as cursor:
        values = {"bank": bank[0], "version": bank[1]}
        nuggets = cursor.sql(snapshot.with_tables(_NUGGETS), params=values).to_arrow_table()
        runs = cursor.sql(snapshot.with_tables(_RUNS)).to_arrow_table()["run_id"].to_pylist()
        units = sorted(set(nuggets["unit"].to_pylist()))
        codes = {"unit": pa.array(units, pa.string()), "unit_code": np.arange(len(units), dtype=np.int32)}
        cursor.register("unit", pa.table(codes))
        places = _PLACES.format(ranked=RANKED[order])
        cut = {"depth": depth or _ALL}
        listed = cursor.sql(snapshot.with_tables(places + _LISTED), params=cut).to_arrow_table()
        texts = cursor.sql(snapshot.with_tables(places + _TEXTS), params=cut).to_arrow_table()["text"].to_pylist()
    run, unit, doc = (listed[name].to_numpy() for name in ("run_code", "unit_code", "doc_code"))
    return AnswerTexts(units, runs, nuggets, run, unit, doc, texts)


def documents(snapshot: Snapshot) -> list[str]:
    """The texts of all passages that have one."""
    with snapshot.cursor() as cursor:
        texts: list[str] = cursor.sql(snapshot.with_tables(_DOCUMENTS)).to_arrow_table()["text"].to_pylist()
    return texts
