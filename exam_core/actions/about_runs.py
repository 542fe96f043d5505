"""What an import says of runs and graded questions that the collection has by then."""

from __future__ import annotations

import csv
from pathlib import Path

from exam_core.analysis.evaluation.caveats import few_answered
from exam_core.demo.embedded import PUBLISHED
from exam_core.errors import visible
from exam_core.store import Store
from exam_core.store.summary import leaderboard_ids, qrels_ids, run_ids
from exam_core.tables import OFFICIAL
from exam_core.wording import quoted

SHARED_RUNS = 0.8
"""Share of an official list's systems that a collection must have for us to point to the list."""


def strangers(store: Store, collection: str) -> list[str]:
    """A note on graded questions that are in no bank."""
    frame = store.snapshot(collection).query(
        "SELECT count(*) AS n FROM (SELECT question_id, query_id FROM grades WHERE question_id IS NOT NULL "
        "EXCEPT SELECT question_id, query_id FROM questions q WHERE version = "
        "(SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id))"
    )
    count = int(frame["n"].iloc[0])
    return [f"{count:,} graded questions are not in the newest version of a bank and do not count."] if count else []


def about_runs(store: Store, collection: str, runs: list[str]) -> list[str]:
    """What is to be known of runs that were imported."""
    return [*_unanswered(store, collection, runs), *_official_hint(store, collection)]


_ANSWERED = """
WITH asked AS (
    SELECT query_id FROM grades
    UNION SELECT query_id FROM judgments WHERE qrels_id = ? AND NOT EXISTS (FROM grades)
),
answered AS (SELECT DISTINCT run_id, query_id FROM rankings)
SELECT run_id, count(*) AS answered, (SELECT count(*) FROM asked) AS asked,
    EXISTS (FROM grades) AS graded
FROM answered JOIN asked USING (query_id) GROUP BY run_id ORDER BY answered, run_id
"""


def _unanswered(store: Store, collection: str, imported: list[str]) -> list[str]:
    """A note on imported runs that return nothing for some of the graded queries, or of those that are judged.

    Judgments are those that a board takes where nobody names others: the official ones, else the first. A run that has
    none of the queries may name other ones, such as facets; then nothing is said.
    """
    snapshot = store.snapshot(collection)
    judgments = next(iter(qrels_ids(snapshot)), "")
    found = snapshot.query(_ANSWERED, [judgments])
    found = found[found["run_id"].isin(imported)]
    if not len(found):
        return []
    asked = int(found["asked"].iloc[0])
    judged = f"queries with judgments {visible(judgments, line_ends=False)}"
    which = "graded queries" if found["graded"].iloc[0] else judged
    return few_answered(found.set_index("run_id")["answered"], asked, f"{asked:,} {which}")


def _official_hint(store: Store, collection: str) -> list[str]:
    """Point to an embedded official list that ranks the collection's runs, if it isn't imported yet."""
    snapshot = store.snapshot(collection)
    runs = set(run_ids(snapshot))
    if OFFICIAL in leaderboard_ids(snapshot):
        return []
    hints = []
    for path in sorted(PUBLISHED.glob("official_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            systems = {row["system"] for row in csv.DictReader(file)}
        shared = len(systems & runs)
        if shared >= SHARED_RUNS * len(systems):
            hints.append(
                f"{shared} of the {len(runs)} runs are ranked in the official list {path.name}. Add it with: "
                f"examboard import leaderboard {_from_here(path)} "
                f"--collection {quoted(collection)} --name {OFFICIAL}"
            )
    return hints


def _from_here(path: Path) -> str:
    """A path for a command that somebody types: short where they stand above it, as in the repository."""
    here = Path.cwd()
    return quoted(str(path.relative_to(here) if path.is_relative_to(here) else path))
