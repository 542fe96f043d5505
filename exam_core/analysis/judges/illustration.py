"""One passage that was graded on one question, from a collection's own data, to show how a board comes about."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from exam_core.analysis.evaluation.choice import Grading
from exam_core.store import Snapshot

USUAL = 4
"""The tau of the papers' tables."""
LONGEST = 400
"""Characters of a passage that a reader takes in at once."""
_SHOWN = f"""
WITH first AS (SELECT query_id, doc_id, list(DISTINCT run_id ORDER BY run_id) AS runs
               FROM rankings WHERE rank = 1 GROUP BY ALL),
asked AS (SELECT query_id, question_id, question_text, gold_answers FROM questions
          WHERE bank_id = $bank AND version = $version AND enabled AND question_text IS NOT NULL)
SELECT query_id, query_text, doc_id, passage_text, question_text, gold_answers, grade, runs
FROM grades JOIN first USING (query_id, doc_id) JOIN asked USING (query_id, question_id)
JOIN passages USING (doc_id) LEFT JOIN queries USING (query_id)
WHERE grader_id = $grader AND grade IS NOT NULL AND passage_text IS NOT NULL
ORDER BY abs(grade - {USUAL}), length(passage_text) > {LONGEST}, len(runs) DESC, query_id, doc_id, question_id LIMIT 1
"""


@dataclass(frozen=True)
class Illustration:
    """A passage that runs rank first for a query, and what a grader gave it on a question.

    Attributes
    ----------
    query_text : None where it is not known
    gold_answers : the question's answer key; empty where it has none
    grade : whatever tau is, so that the passage stays the same while tau moves
    runs : those that rank the passage first, by name
    """

    query_id: str
    query_text: str | None
    doc_id: str
    passage_text: str
    question_text: str
    gold_answers: tuple[str, ...]
    grade: int
    runs: tuple[str, ...]

    def is_answered(self, tau: int) -> bool:
        """Whether the passage answers the question at a tau, so that the question is covered."""
        return self.grade >= tau

    def best_of_runs(self, rows: pd.DataFrame) -> pd.Series:
        """Of the runs that rank the passage first, the row of the one that stands highest on a board's rows."""
        return rows[rows["run_id"].isin(self.runs)].iloc[0]


def illustration(snapshot: Snapshot, grading: Grading) -> Illustration | None:
    """A graded passage that shows how grades become a board.

    Of all that a run ranks first, the one whose grade is nearest to the usual tau, so that moving tau changes what it
    is worth; of these a short one, which many runs rank first.

    Returns
    -------
    None where there is none: no grades of questions, or no texts
    """
    if grading.bank is None or grading.grader is None:
        return None
    asked = {"bank": grading.bank.name, "version": grading.bank.version, "grader": grading.grader}
    found = snapshot.query(_SHOWN, asked)
    if found.empty:
        return None
    known = found.astype(object).where(found.notna(), None).iloc[0].to_dict()
    lists = {name: tuple(known[name] if known[name] is not None else ()) for name in ("gold_answers", "runs")}
    return Illustration(**known | lists)
