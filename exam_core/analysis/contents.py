"""The contents of a collection and what is missing: counts, display names, tags, holes, needs of analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from exam_core import wings
from exam_core.aliases import LONGEST_ALIAS
from exam_core.analysis.choice import Evaluation
from exam_core.analysis.shared_columns import MODE
from exam_core.analysis.values import book_as_read, gradebook
from exam_core.measures.places import places_of
from exam_core.numbers.arrays import Bools
from exam_core.numbers.means import counted_mask
from exam_core.readings.reasons import UNREADABLE_ANSWERS
from exam_core.results import ResultTable, count, flag, number, text, texts
from exam_core.store import Snapshot
from exam_core.store.database import NARROW_OF_TEXTS
from exam_core.store.derived_files import on_disk
from exam_core.store.evidence import texts_of_named
from exam_core.store.names import page_sql
from exam_core.store.scales import scale
from exam_core.store.summary import aliases_of, banks, graded_banks, graders, qrels_ids, query_ids, run_ids
from exam_core.store.summary import names_of as names_of
from exam_core.tables import OFFICIAL
from exam_core.wording import counted, texts_come

DISPLAY_NAMES = ResultTable(
    "aliases: rows",
    "Names of grading modes on pages, in charts and in tables for papers",
    text(
        "alias",
        "Name",
        f"Name on screen, at most {LONGEST_ALIAS} characters, unlike all others. Guessed from the id until somebody "
        "gives one.",
        pinned=True,
    ),
    text("grader", "Grading mode ID", "Used in links, commands, CSV and JSON; never changes.", width="large"),
    flag("given", "Given", "Somebody gave the name; it is not guessed."),
)


def display_names(snapshot: Snapshot) -> pd.DataFrame:
    """`DISPLAY_NAMES`, by id."""
    named, names = dict(snapshot.aliases), aliases_of(snapshot)
    return DISPLAY_NAMES.of([(alias, grader, named.get(grader) == alias) for grader, alias in names.items()])


def hole_shares(snapshot: Snapshot, choice: Evaluation) -> pd.Series:
    """Share of each run's filled places that are holes, down to the depth of the measure; see `measures.places`.

    Returns floats in [0, 1] by run_id; NaN for a run that filled no place; empty where the measure looks at no grades.
    """
    if not choice.of_grades:
        return pd.Series(dtype=float, name="holes")
    slots = gradebook(snapshot, choice.labelling).slots
    depth = choice.measure.depth or choice.labelling.depth or max(len(slots), 1)
    book, counted = book_as_read(snapshot, choice.as_read), counting(snapshot, choice)
    places = places_of(book, choice.as_read.measure.depth or depth)
    return pd.Series(places.shares(places.holes, counted), book.run_ids, name="holes")


def counting(snapshot: Snapshot, choice: Evaluation) -> Bools:
    """(R, Q) which queries count for a run, readable or not."""
    book = gradebook(snapshot, choice.labelling)
    return counted_mask(book.answering, skips=choice.missing == "skip") & book.counted


TOP = 20
COUNTED = tuple(wings.declared("counted"))
"""Columns of the counts that wings add."""
COLLECTIONS = ResultTable(
    "collections",
    "Collections of the store with their counts",
    text("collection", "Collection", pinned=True),
    count("queries", "Queries", "Information needs: listed, graded or judged.", "queries"),
    count(
        "passages",
        "Passages",
        "(query, passage) pairs that were graded or judged; a passage may occur under several queries.",
        "passages",
    ),
    count("questions", "Questions", "Exam questions in the newest version of each bank.", "questions"),
    count(
        "grades", "Grades", "A grading mode's grade of a passage for one question, or of the whole passage.", "grades"
    ),
    count("runs", "Runs", "Rankings of one system over all queries.", "runs"),
    count("judgments", "Judgments", "Human relevance labels (qrels).", "judgments"),
    *COUNTED,
    text("leaderboards", "Leaderboards", width="medium"),
    text("graders", "Grading modes", width="medium"),
)
ROWS = ResultTable(
    "inventory: rows",
    "Graded and ungraded passages of each grading mode",
    replace(MODE, help="A prompt, a model and its options.", width=175, pinned=True),
    text("model", "Model"),
    number("scale", "Largest grade", "The end of the scale, which begins at 0. Larger grades are kept.", "grade"),
    text(
        "scale_from",
        "Scale from",
        "declared: by the mode, the prompt or the import. judgments: the scale of the judgments, because the labels "
        "fit it. labels: guessed from the labels. The default tau is one below the largest grade, 5 at most.",
    ),
    replace(COLLECTIONS["queries"], help=""),
    COLLECTIONS["passages"],
    COLLECTIONS["grades"],
    count("unreadable", "Unreadable", UNREADABLE_ANSWERS, "grades"),
    count(
        "judged_ungraded",
        "Judged, not graded",
        "Passages with a human judgment that this mode has not graded.",
        "passages",
    ),
    count(
        "ranked_ungraded",
        f"Top {TOP}, not graded",
        f"Passages in the top {TOP} of a run that this mode has not graded; they count as answering nothing. The page "
        "Grading counts passages at every rank.",
        "passages",
    ),
    count(
        "ranked_unreadable",
        f"Top {TOP}, unreadable",
        f"Passages in the top {TOP} of a run for which this mode gave only unreadable answers.",
        "passages",
    ),
)

_PAIRS = """
SELECT grader_id, query_id, doc_id, count(*) AS given, count(grade) AS readable FROM grades GROUP BY ALL
"""
_GRADED = """
SELECT grader_id AS grader, count(DISTINCT query_id) AS queries, count(*) AS passages, sum(given) AS grades,
       sum(given - readable) AS unreadable
FROM pairs GROUP BY grader_id ORDER BY grader_id
"""
# As in the gradebook: what is graded or judged for a page counts for each of its facets (page/facet), and a facet's
# grades for the page.
_UNGRADED = """
WITH wanted AS ({wanted}), modes AS (SELECT DISTINCT grader_id FROM pairs), graded AS (
    SELECT grader_id, query_id, doc_id FROM pairs
    UNION ALL SELECT grader_id, {page}, doc_id FROM pairs WHERE contains(query_id, '/')
), asked AS (SELECT modes.grader_id, query_id, {page} AS page, doc_id FROM modes CROSS JOIN wanted)
SELECT asked.grader_id AS grader, count(*) AS missing
FROM asked
ANTI JOIN graded ON graded.grader_id = asked.grader_id AND graded.doc_id = asked.doc_id
  AND graded.query_id = asked.query_id
ANTI JOIN graded of_page ON of_page.grader_id = asked.grader_id AND of_page.doc_id = asked.doc_id
  AND of_page.query_id = asked.page
GROUP BY ALL
"""
_UNREADABLE = """
WITH wanted AS ({wanted}), answered AS (
    SELECT grader_id, query_id, doc_id, readable FROM pairs
    UNION ALL SELECT grader_id, {page}, doc_id, readable FROM pairs WHERE contains(query_id, '/')
), unread AS (
    SELECT grader_id, wanted.query_id, wanted.doc_id
    FROM (SELECT *, {page} AS page FROM wanted) wanted
    JOIN answered ON answered.doc_id = wanted.doc_id AND answered.query_id IN (wanted.query_id, wanted.page)
    GROUP BY ALL HAVING sum(readable) = 0
)
SELECT grader_id AS grader, count(*) AS missing FROM unread GROUP BY ALL
"""
_COUNTS = (
    *("queries", "passages", "grades", "unreadable"),
    *("judged_ungraded", "ranked_ungraded", "ranked_unreadable"),
)
_JUDGED = "SELECT DISTINCT query_id, doc_id FROM judgments"
_RANKED = f"SELECT DISTINCT query_id, doc_id FROM rankings WHERE rank <= {TOP}"
_TEXTLESS = "SELECT count(*) AS n FROM questions WHERE enabled AND question_text IS NULL"


@dataclass(frozen=True)
class Inventory:
    """`ROWS` for each grading mode, and notes on queries, passages and questions without text."""

    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def inventory(snapshot: Snapshot) -> Inventory:
    """Count the passages that each grading mode graded, and those that it left out."""
    rows = pd.DataFrame(_counted(snapshot), columns=["grader", *_COUNTS])
    rows["model"] = [snapshot.graders.get(name, {}).get("llm") or "unknown" for name in rows["grader"]]
    scales = [scale(snapshot, name) for name in rows["grader"]]
    rows["scale"] = pd.array([known.largest for known in scales], dtype="Int64")
    rows["scale_from"] = [known.source for known in scales]
    order = {name: place for place, name in enumerate(graders(snapshot))}
    rows = rows.sort_values("grader", key=lambda names: names.map(order), ignore_index=True)
    return Inventory(ROWS.of(rows), _about_texts(snapshot))


@on_disk
def _counted(snapshot: Snapshot) -> list[tuple[str | int, ...]]:
    """Each grader with its `_COUNTS`; grades are read once, and few pairs are held."""
    with snapshot.cursor(narrow=True, most=NARROW_OF_TEXTS) as cursor:
        cursor.execute(f"CREATE TEMP TABLE pairs AS {snapshot.with_tables(_PAIRS)}")
        counts = {grader: list(map(int, row)) for grader, *row in cursor.execute(_GRADED).fetchall()}
        for sql, wanted in ((_UNGRADED, _JUDGED), (_UNGRADED, _RANKED), (_UNREADABLE, _RANKED)):
            sql = snapshot.with_tables(sql.format(wanted=wanted, page=page_sql("query_id")))
            missing = dict(cursor.execute(sql).fetchall())
            for grader, row in counts.items():
                row.append(int(missing.get(grader, 0)))
    return [(grader, *row) for grader, row in counts.items()]


def _about_texts(snapshot: Snapshot) -> list[str]:
    """Notes on queries, passages and questions without text."""
    notes, queries, known = [], query_ids(snapshot), snapshot.frame("queries")
    without = len(set(queries) - set(known["query_id"][known["query_text"].notna()]))
    if without:
        notes.append(f"{without:,} of {len(queries):,} queries have no text; import topics or a bank with texts.")
    # Where nothing is graded yet, `lacking` reports passages without text.
    if graders(snapshot) and (texts := texts_of_named(snapshot)).textless:
        notes.append(
            f"{texts.textless:,} of {texts.named:,} passages that runs, judgments and grades name have no text. "
            f"{texts_come(snapshot.collection)}"
        )
    blank = int(snapshot.query(_TEXTLESS)["n"].iloc[0])
    if blank:
        notes.append(f"{counted({'questions are': blank})} known by id only; import the bank's file to add the texts.")
    return notes


def collections_table(summaries: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """`COLLECTIONS` of `store.summary.summary` of each, with the counts of wings; names are joined to one text."""
    frame = COLLECTIONS.of([{name: summary[name] for name in COLLECTIONS.names} for summary in summaries])
    return frame.assign(**{name: frame[name].map("; ".join) for name in ("leaderboards", "graders")})


What = Literal["runs", "judgments", "passages", "questions", "grades"]


@dataclass(frozen=True)
class Lack:
    """Something that a collection lacks, and a sentence on its use."""

    what: What
    sentence: str


def lacking(snapshot: Snapshot) -> list[Lack]:
    """What is missing, in the order of import; texts and questions count only where nothing is graded."""
    missing = []
    if not run_ids(snapshot):
        missing.append(Lack("runs", "There are no runs to rank."))
    if not qrels_ids(snapshot):
        missing.append(Lack("judgments", "No human judgments yet. With them you see how good the grades are."))
    if graders(snapshot):
        return missing
    if (texts := texts_of_named(snapshot)).textless:
        share = f"{texts.textless:,} of {texts.named:,}"
        missing.append(Lack("passages", f"{share} passages have no text for a grader to read."))
    if not banks(snapshot):
        missing.append(Lack("questions", "There are no exam questions: grades say which of them a passage answers."))
    missing.append(
        Lack("grades", "Nothing is graded yet: grades bring Cover, kappa, tau and the difficulty of questions.")
    )
    return missing


def is_judged(snapshot: Snapshot) -> bool:
    """Whether there are judgments to test a grader by."""
    return OFFICIAL in qrels_ids(snapshot)


def is_graded(snapshot: Snapshot) -> bool:
    """Whether something is graded, or agreement of grades with judgments is printed."""
    return bool(graded_banks(snapshot)) or not snapshot.query("SELECT 1 FROM confusions LIMIT 1").empty


def has_texts(snapshot: Snapshot) -> bool:
    """Whether some passage has a text that a grader could read."""
    return not snapshot.query("SELECT 1 FROM passages WHERE passage_text IS NOT NULL LIMIT 1").empty


def has_questions(snapshot: Snapshot) -> bool:
    """Whether questions were graded, and not whole passages alone."""
    return any(bank for banks in graded_banks(snapshot).values() for bank in banks)


def question_modes(snapshot: Snapshot, series: Sequence[str]) -> list[str]:
    """Those of the series that graded questions, and not whole passages alone."""
    banks = graded_banks(snapshot)
    return [name for name in series if any(banks.get(name, ()))]


_TAGS = "A property of the run for which a grader may favour it."
LISTED = ResultTable(
    "tags: rows",
    "A row for each run and tag; saved as CSV, it can be imported again",
    text("run_id", "Run", pinned=True),
    text("tag", "Tag", _TAGS),
)
RUNS = ResultTable(
    "tags: runs",
    "Every run with its tags",
    text("run_id", "Run", pinned=True),
    texts("tags", "Tags", _TAGS, width="large"),
)


def listed_tags(snapshot: Snapshot) -> pd.DataFrame:
    """`LISTED`, by run and tag."""
    return LISTED.of([(run, tag) for run, own in snapshot.tags for tag in own])


def tags_of_runs(snapshot: Snapshot) -> pd.DataFrame:
    """`RUNS`, by run; runs without a tag have an empty list."""
    tags = dict(snapshot.tags)
    return RUNS.of([(run, list(tags.get(run, ()))) for run in run_ids(snapshot)])
