"""What graders did in a collection: how much of it, which grades, and the answers that no grade could be read from."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from exam_core.jobs.watching import JOBS
from exam_core.readings.reasons import HELP, by_count
from exam_core.readings.unread import reasons_of, why_unreadable
from exam_core.results import ResultTable, bar, count, number, share, text
from exam_core.store import Snapshot
from exam_core.store.database import NARROW_OF_TEXTS
from exam_core.store.derived_files import on_disk
from exam_core.store.pairs import TO_GRADE
from exam_core.store.scales import scale
from exam_core.store.snapshot import cached_by_snapshot
from exam_core.store.summary import bank_version
from exam_core.wording import counted

LOOKED_AT = 20_000
"""Different unreadable answers that reasons are counted of, the most frequent."""
LISTED = 200
"""Unreadable answers that are listed, the most frequent first."""
EVERY_RANK = (
    "Shares are of all listed, judged or ranked passages, at any depth. The page Collections counts only the top 20 "
    "of each run."
)
COVERAGE = ResultTable(
    "outcomes: held",
    "Grades that each grading mode has and lacks; those of questions first",
    text("grader_id", "Grading mode", "A prompt, a model and its options.", width="medium"),
    count("graded", "Graded", "Grades that are there, readable or not.", "grades"),
    count(
        "missing",
        "Missing",
        "Missing grades: enabled questions times passages of their query, at every rank, less the graded ones; or "
        "passages, in a mode that labels whole passages.",
        "grades",
    ),
    bar("share", "Graded, of every rank", EVERY_RANK, unit="share of grades", form="percent"),
    JOBS["unreadable"],
)
RATINGS = ResultTable(
    "outcomes: ratings",
    "Number of each grade of a grader's scale",
    number("grade", "Grade", "The grade, from 0; null if unreadable.", "grade"),
    count("count", "Times", unit="grades"),
    share("share", "Share", unit="share of its grades"),
)
_PLACE = "A passage with this grade; search it on the page Passages."
ANSWERS = ResultTable(
    "outcomes: unreadable answers",
    "Unreadable answers, the most frequent first",
    text("answer", "Answer", "The model's own words.", width="large"),
    count("count", "Times", unit="grades"),
    text("reason", "Why"),
    text("query_id", "For instance query", _PLACE),
    text("doc_id", "Passage", _PLACE),
    text("question_id", "Question", _PLACE),
)
REASONS = ResultTable(
    "outcomes: reasons",
    "Reasons for unreadable answers of a grader, most frequent first",
    text("reason", "Why"),
    count("count", "Times", unit="grades"),
    text("helps", "Remedy", width="large"),
)
_ASKED = f"""
pairs AS ({TO_GRADE}),
asked AS (
    SELECT query_id, question_id FROM questions WHERE bank_id = $bank AND version = $version AND enabled
),
made AS (
    SELECT grader_id, question_id, query_id, doc_id, grade, answer FROM grades JOIN pairs USING (query_id, doc_id)
    WHERE question_id IS NULL OR (query_id, question_id) IN (FROM asked)
)
"""
"""The grades of the collection's passages on a bank's enabled questions, and those of passages as a whole."""
_COUNTS = """
SELECT grader_id, question_id IS NULL AS direct,
    CASE WHEN question_id IS NULL THEN (SELECT count(*) FROM pairs)
    ELSE (SELECT count(*) FROM pairs JOIN asked USING (query_id)) END AS whole,
    grade, count(*)
FROM made GROUP BY ALL ORDER BY direct, grader_id, grade
"""
_UNREADABLE = """
SELECT coalesce(answer, '') AS answer, count(*) AS count,
    first(query_id ORDER BY query_id, doc_id, question_id) AS query_id,
    first(doc_id ORDER BY query_id, doc_id, question_id) AS doc_id,
    first(question_id ORDER BY query_id, doc_id, question_id) AS question_id
FROM made WHERE grader_id = $grader AND grade IS NULL GROUP BY 1 ORDER BY count DESC, answer LIMIT $limit
"""


def coverage(snapshot: Snapshot, bank: str | None) -> pd.DataFrame:
    """How far each grader is that graded something, as `COVERAGE`.

    The newest version of `bank` counts with its enabled questions; None: only labels of whole passages.
    """
    rows: dict[tuple[str, bool, int], Counter[str]] = {}
    for grader, direct, whole, grade, count_of in _counts(snapshot, bank):
        counts = rows.setdefault((grader, direct, whole), Counter())
        counts.update({"graded": count_of, "unreadable": count_of if grade is None else 0})
    frame = pd.DataFrame(
        [(grader, whole, counts["graded"], counts["unreadable"]) for (grader, _, whole), counts in rows.items()],
        columns=["grader_id", "whole", "graded", "unreadable"],
    )
    frame["missing"] = frame["whole"] - frame["graded"]
    frame["share"] = frame["graded"] / frame["whole"]
    return COVERAGE.of(frame)


def headline(rows: pd.DataFrame) -> str:
    """What rows of `COVERAGE` say together."""
    graded, missing, unreadable = (int(rows[name].sum()) for name in ("graded", "missing", "unreadable"))
    message = f"{counted({'grading modes': len(rows)})} gave {counted({'grades': graded})} to ranked or judged passages"
    lacks, unread = (f"{count:,}" if count else "none" for count in (missing, unreadable))
    return f"{message}: {unread} unreadable, {lacks} still missing"


def ratings(snapshot: Snapshot, grader_id: str, bank: str | None) -> pd.DataFrame:
    """How often a grader gave each grade, as `RATINGS`; unreadable is the last row."""
    counts: Counter[int | None] = Counter()
    for grader, _, _, grade, count_of in _counts(snapshot, bank):
        if grader == grader_id:
            counts[grade] += count_of
    grades = sorted({*range(scale(snapshot, grader_id).largest + 1), *counts} - {None})
    rows = pd.DataFrame({"grade": pd.array([*grades, None], "Int64")})
    rows["count"] = [counts.get(grade, 0) for grade in (*grades, None)]
    rows["share"] = rows["count"] / max(rows["count"].sum(), 1)
    return RATINGS.of(rows)


def unreadable_answers(snapshot: Snapshot, grader_id: str, bank: str | None, limit: int = LISTED) -> pd.DataFrame:
    """Answers of a grader that could not be read: `ANSWERS`."""
    frame, about, largest = _unreadable(snapshot, grader_id, bank, limit)
    return ANSWERS.of(frame.assign(reason=[why_unreadable(answer, about, largest) for answer in frame["answer"]]))


def reasons(snapshot: Snapshot, grader_id: str, bank: str | None) -> pd.DataFrame:
    """Why answers of a grader could not be read: `REASONS`."""
    frame, about, largest = _unreadable(snapshot, grader_id, bank, LOOKED_AT)
    counts = reasons_of(zip(frame["answer"], frame["count"], strict=True), about, largest)
    return REASONS.of([(reason, count, HELP[reason]) for reason, count in by_count(counts)])


def _unreadable(
    snapshot: Snapshot, grader_id: str, bank: str | None, limit: int
) -> tuple[pd.DataFrame, dict[str, Any], int]:
    """Unreadable answers of a grader, the most frequent first, what is known of it, and its largest grade."""
    named = _named(snapshot, bank) | {"grader": grader_id, "limit": limit}
    frame = snapshot.query(f"WITH {_ASKED} {_UNREADABLE}", named)
    return frame, snapshot.graders.get(grader_id, {}), scale(snapshot, grader_id).largest


@cached_by_snapshot(64)
@on_disk
def _counts(snapshot: Snapshot, bank: str | None) -> tuple[tuple[str, bool, int, int | None, int], ...]:
    """Grader, whether it labels passages as a whole, how many grades all are, a grade, and how often it gave that."""
    with snapshot.cursor(narrow=True, most=NARROW_OF_TEXTS) as cursor:
        return tuple(
            cursor.execute(snapshot.with_tables(f"WITH {_ASKED} {_COUNTS}"), _named(snapshot, bank)).fetchall()
        )


def _named(snapshot: Snapshot, bank: str | None) -> dict[str, object]:
    return {"bank": bank, "version": bank_version(snapshot, bank) if bank else None}
