"""What an assigner said of nuggets: labels that are no grade, and all that was said of one run's answer."""

from __future__ import annotations

import pandas as pd

from exam_core.store.cells import RANKED
from exam_core.store.names import page_sql
from exam_core.store.question_texts import IN_ORDER
from exam_core.store.snapshot import Snapshot

_ALL = 2**31 - 1
# A facet's ranking is graded by the questions of its page, too.
_SAID = f"""
WITH bank AS (
    SELECT question_id, query_id, question_text, importance, enabled, of_bank FROM ({IN_ORDER})
),
said AS (
    SELECT question_id, grades.query_id, doc_id, grade, answer, importance, question_text, enabled,
        lower(trim(answer)) LIKE 'contradict%' AS contradicted
    FROM grades JOIN bank USING (question_id, query_id)
    WHERE grader_id = $grader
),
read AS (SELECT *, {page_sql("query_id")} AS page FROM ({{ranked}}))
"""
_ODD = (
    _SAID
    + """
SELECT run_id, CASE WHEN importance = 'avoid' THEN 'to avoid' WHEN contradicted THEN 'contradicted' ELSE 'unread' END
    AS kind, coalesce(answer, '') AS label, count(*) AS n
FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
WHERE CASE WHEN importance = 'avoid' THEN grade > 0 ELSE enabled AND (grade IS NULL OR contradicted) END
GROUP BY ALL ORDER BY run_id, kind, n DESC, label
"""
)
_FOUND = (
    _SAID
    + """
SELECT bank.question_id, bank.question_text, bank.importance, bank.enabled, best.grade, best.answer AS label,
    best.doc_id, best.rank
FROM bank LEFT JOIN (
    SELECT question_id, said.query_id, grade, answer, said.doc_id, read.rank
    FROM read JOIN said ON said.doc_id = read.doc_id AND said.query_id IN (read.query_id, read.page)
    WHERE run_id = $run AND read.query_id = $query
    QUALIFY row_number() OVER (PARTITION BY question_id, said.query_id ORDER BY grade DESC NULLS LAST, place) = 1
) best USING (question_id, query_id)
WHERE bank.query_id IN ($query, """
    + page_sql("$query")
    + """)
ORDER BY of_bank
"""
)


def odd_labels(
    snapshot: Snapshot, *, bank: tuple[str, int], grader_id: str, depth: int | None, order: str = "score"
) -> pd.DataFrame:
    """Labels of runs' first passages that are no plain grade, counted: run_id, kind, label, n.

    `kind` is unread (the grade is null), contradicted (the label says so), or to avoid (a nugget to avoid that is
    supported, wholly or in part); a missing label is an empty text.
    """
    values = {"bank": bank[0], "version": bank[1], "grader": grader_id, "depth": depth or _ALL}
    return snapshot.query(_ODD.format(ranked=RANKED[order]), values)


def found_nuggets(
    snapshot: Snapshot,
    run_id: str,
    query_id: str,
    *,
    bank: tuple[str, int],
    grader_id: str,
    depth: int | None,
    order: str = "score",
) -> pd.DataFrame:
    """The nuggets of a query in the bank's order, each with the best that was said of it among a run's first passages.

    Returns
    -------
    question_id, question_text, importance, enabled, grade (null: never graded, or not read), label (null: never
    graded), doc_id and rank (null: never graded)
    """
    values = {
        "bank": bank[0],
        "version": bank[1],
        "grader": grader_id,
        "depth": depth or _ALL,
        "run": run_id,
        "query": query_id,
    }
    return snapshot.query(_FOUND.format(ranked=RANKED[order]), values)
