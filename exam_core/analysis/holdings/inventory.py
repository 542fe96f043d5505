"""What a collection holds of each grading mode, and what is missing of grades, judgments and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from exam_core.store import Snapshot
from exam_core.store.summary import graders, query_ids, scale

ROWS = (
    "grader",
    "model",
    "scale",
    "queries",
    "passages",
    "grades",
    "unreadable",
    "judged_ungraded",
    "ranked_ungraded",
)
TOP = 20

_GRADED = """
SELECT grader_id AS grader, count(DISTINCT query_id) AS queries, count(DISTINCT (query_id, doc_id)) AS passages,
       count(*) AS grades, count(*) FILTER (grade IS NULL) AS unreadable
FROM grades GROUP BY grader_id
"""
# As in the gradebook: what is graded or judged for a page counts for each of its facets (page/facet), and a facet's
# grades for the page.
_PAGE = r"regexp_extract(query_id, '^(.+)/[^/]+$', 1)"
_UNGRADED = """
WITH wanted AS ({wanted}), modes AS (SELECT DISTINCT grader_id FROM grades), graded AS (
    SELECT grader_id, query_id, doc_id FROM grades
    UNION SELECT grader_id, {page}, doc_id FROM grades WHERE contains(query_id, '/')
), pairs AS (SELECT modes.grader_id, query_id, {page} AS page, doc_id FROM modes CROSS JOIN wanted)
SELECT pairs.grader_id AS grader, count(*) AS missing
FROM pairs
ANTI JOIN graded ON graded.grader_id = pairs.grader_id AND graded.doc_id = pairs.doc_id
  AND graded.query_id = pairs.query_id
ANTI JOIN graded of_page ON of_page.grader_id = pairs.grader_id AND of_page.doc_id = pairs.doc_id
  AND of_page.query_id = pairs.page
GROUP BY ALL
"""
_JUDGED = "SELECT DISTINCT query_id, doc_id FROM judgments"
_RANKED = f"SELECT DISTINCT query_id, doc_id FROM rankings WHERE rank <= {TOP}"
_TEXTLESS = "SELECT count(*) AS n FROM questions WHERE enabled AND question_text IS NULL"


@dataclass(frozen=True)
class Inventory:
    """What is there and what is missing.

    Parameters
    ----------
    rows : a row for each grading mode: grader, model, scale (its largest grade), queries, passages and grades that it
        gave, unreadable (grades without a number), judged_ungraded (judged passages without a grade),
        ranked_ungraded (passages among a run's first 20 without a grade)
    notes : sentences on queries and questions without text
    """

    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def inventory(snapshot: Snapshot) -> Inventory:
    """Count what each grading mode graded, and what it left out."""
    rows = snapshot.query(_GRADED)
    for name, wanted in (("judged_ungraded", _JUDGED), ("ranked_ungraded", _RANKED)):
        missing = snapshot.query(_UNGRADED.format(wanted=wanted, page=_PAGE)).set_index("grader")["missing"]
        rows[name] = rows["grader"].map(missing).fillna(0).astype(int)
    about = [snapshot.graders.get(name, {}) for name in rows["grader"]]
    rows["model"] = [known.get("llm") or "unknown" for known in about]
    rows["scale"] = pd.array([scale(snapshot, name) for name in rows["grader"]], dtype="Int64")
    order = {name: place for place, name in enumerate(graders(snapshot))}
    rows = rows.sort_values("grader", key=lambda names: names.map(order), ignore_index=True)
    return Inventory(rows[list(ROWS)], _texts(snapshot))


def _texts(snapshot: Snapshot) -> list[str]:
    notes = []
    queries = query_ids(snapshot)
    known = snapshot.frame("queries")
    without = len(set(queries) - set(known["query_id"][known["query_text"].notna()]))
    if without and queries:
        notes.append(f"{without:,} of {len(queries):,} queries have no text; a topics file or a bank brings it.")
    blank = int(snapshot.query(_TEXTLESS)["n"].iloc[0])
    if blank:
        notes.append(f"{blank:,} questions are known by their id only; the bank's file brings their text.")
    return notes


COLLECTION = (
    "collection",
    "queries",
    "passages",
    "questions",
    "grades",
    "runs",
    "judgments",
    "leaderboards",
    "graders",
)


def collections_table(summaries: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Counts of several collections, a row each.

    Parameters
    ----------
    summaries : as `store.summary.summary` makes them

    Returns
    -------
    the counts, and the names of leaderboards and graders as one text each
    """
    rows = [{name: summary[name] for name in COLLECTION} for summary in summaries]
    frame = pd.DataFrame(rows, columns=list(COLLECTION))
    return frame.assign(**{name: frame[name].map("; ".join) for name in ("leaderboards", "graders")})
