"""What a collection holds: counts, and the names to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from exam_core import wings
from exam_core.aliases import aliases
from exam_core.errors import StoreError, UsageError
from exam_core.request import JUDGED
from exam_core.store.derived_files import on_disk
from exam_core.store.evidence import SUPPORT, searched, words_of
from exam_core.store.pairs import KNOWN, KNOWN_ROWS
from exam_core.store.scales import scale
from exam_core.store.snapshot import Snapshot, cached_by_snapshot
from exam_core.store.store import Store
from exam_core.tables import OFFICIAL, OVERALL
from exam_core.wording import column_names, composed

OF_GRADERS = ("scale", "scale_from")
"""What a summary says of each grader by name, for which a table has no room."""
_COUNTS = f"""
WITH pairs AS ({KNOWN})
SELECT
    (SELECT count(*) FROM (SELECT query_id FROM queries UNION SELECT query_id FROM pairs)) AS queries,
    (SELECT count(*) FROM pairs) AS passages,
    (SELECT count(DISTINCT doc_id) FROM pairs) AS distinct_passages,
    (SELECT count(*) FROM questions q WHERE version = (
        SELECT max(version) FROM questions newest WHERE newest.bank_id = q.bank_id)) AS questions,
    (SELECT count(*) FROM grades) AS grades,
    (SELECT count(DISTINCT run_id) FROM rankings) AS runs,
    (SELECT count(*) FROM judgments) AS judgments
"""

_KNOWN_QUERIES = f"SELECT query_id FROM queries UNION SELECT query_id FROM ({KNOWN_ROWS})"
_GRADED_BANKS = """
SELECT grader_id, bank_id, count(*) AS grades
FROM (SELECT grader_id, question_id, query_id FROM grades)
LEFT JOIN (SELECT DISTINCT bank_id, question_id, query_id FROM questions) USING (question_id, query_id)
GROUP BY ALL ORDER BY ALL
"""


def counted_beside(store: Store, snapshot: Snapshot) -> dict[str, int]:
    """What wings count of a collection, in the store."""
    return {name: count(store, snapshot) for name, count in wings.declared("counts")}


def summary(snapshot: Snapshot, **more: int) -> dict[str, Any]:
    """Counts and names of a collection, with the keys of the command line's `list`; `more` are counts, too."""
    scales = {name: scale(snapshot, name) for name in graders(snapshot)}
    return {
        "collection": snapshot.collection,
        **_counts(snapshot),
        **more,
        "banks": banks(snapshot),
        "graders": list(scales),
        "scale": {name: scale_of.largest for name, scale_of in scales.items()},
        "scale_from": {name: scale_of.source for name, scale_of in scales.items()},
        "leaderboards": leaderboard_ids(snapshot),
    }


@on_disk
def _counts(snapshot: Snapshot) -> dict[str, int]:
    return {str(name): int(value) for name, value in snapshot.query(_COUNTS).iloc[0].items()}


def of_each(store: Store, about: Callable[[Snapshot], Any] = summary) -> tuple[list[Any], list[str]]:
    """What is to be said of each collection, and a message for each that is damaged: the others go on."""
    summaries, damaged = [], []
    for name in store.collections():
        try:
            summaries.append(about(store.snapshot(name)))
        except StoreError as error:
            damaged.append(str(error))
        except UsageError:
            if name in store.collections():  # otherwise it was undone since it was listed
                raise
    return summaries, damaged


def query_ids(snapshot: Snapshot) -> list[str]:
    """All queries: those that are listed, graded, judged, asked about by a bank or answered by a run."""
    more = " UNION ".join(f"SELECT query_id FROM {name}" for name in ("rankings", "questions"))
    return _texts(snapshot, f"{_KNOWN_QUERIES} UNION {more} ORDER BY 1")


def evaluated_query_ids(snapshot: Snapshot) -> list[str]:
    """The queries that are listed, graded or judged; also those of the runs where no run answers any of these."""
    strangers = "SELECT query_id FROM rankings WHERE NOT EXISTS (FROM rankings SEMI JOIN known USING (query_id))"
    return _texts(snapshot, f"WITH known AS ({_KNOWN_QUERIES}) FROM known UNION {strangers} ORDER BY 1")


def banks(snapshot: Snapshot) -> list[str]:
    """The question banks, the largest first."""
    return _texts(snapshot, "SELECT bank_id FROM questions GROUP BY bank_id ORDER BY count(*) DESC, bank_id")


@cached_by_snapshot(256)
def bank_version(snapshot: Snapshot, bank_id: str) -> int:
    """The bank's newest version; 0 if there is no such bank."""
    frame = snapshot.query("SELECT max(version) AS v FROM questions WHERE bank_id = ?", [bank_id])
    return int(frame["v"].fillna(0).iloc[0])


def graders(snapshot: Snapshot) -> list[str]:
    """The graders that have grades, those of questions before those of whole passages; not those of citations."""
    names = _texts(
        snapshot,
        "SELECT grader_id FROM (SELECT grader_id, bool_and(question_id IS NULL) AS direct "
        "FROM grades GROUP BY grader_id) ORDER BY direct, grader_id",
    )
    return [name for name in names if not of_citations(snapshot, name)]


def of_citations(snapshot: Snapshot, grader: str) -> bool:
    """Whether a grader says how far cited passages support sentences; its grades are no board's."""
    return bool(snapshot.graders.get(grader, {}).get("kind") == SUPPORT)


@cached_by_snapshot(64)
def aliases_of(snapshot: Snapshot) -> dict[str, str]:
    """What every grader of the collection is called, by its id; see `aliases`."""
    return aliases({*graders(snapshot), *snapshot.graders}, snapshot.graders, dict(snapshot.aliases))


@cached_by_snapshot(64)
def names_of(snapshot: Snapshot) -> dict[str, str]:
    """The same, and what judgments are called that stand in the place of a grader, and printed columns."""
    judgments = {f"{JUDGED}{name}": f"{name} judgments" for name in qrels_ids(snapshot)}
    return judgments | column_names(dict(_said_of_columns(snapshot))) | aliases_of(snapshot)


@on_disk
def _said_of_columns(snapshot: Snapshot) -> list[tuple[str, str]]:
    """The leaderboards whose rows say something beyond their columns, and that."""
    rows = snapshot.query(
        "SELECT leaderboard_id, any_value(extra) AS said FROM leaderboards WHERE extra IS NOT NULL GROUP BY ALL"
    )
    return list(rows.itertuples(index=False, name=None))


def alias_of(snapshot: Snapshot, grader_id: str) -> str:
    """What a grader is called; a printed column, or another name that is no grader's, stays as it is."""
    return names_of(snapshot).get(grader_id, grader_id)


def graded_banks(snapshot: Snapshot) -> dict[str, list[str | None]]:
    """For each grader, the banks whose questions it graded; [None] for labels of whole passages."""
    graded: dict[str, list[str]] = {}
    for grader_id, bank_id in _graded_banks(snapshot):
        if not of_citations(snapshot, grader_id):
            graded.setdefault(grader_id, []).extend([bank_id] if bank_id else [])
    return {name: [*names] or [None] for name, names in graded.items()}


@cached_by_snapshot(64)
@on_disk
def _graded_banks(snapshot: Snapshot) -> list[tuple[str, str | None]]:
    """Each grader with each bank whose questions it graded, and with None where they are of no bank."""
    frame = snapshot.query(_GRADED_BANKS)
    banks = frame["bank_id"].astype(object).where(frame["bank_id"].notna(), None)
    return list(zip(frame["grader_id"], banks, strict=True))


def leaderboard_ids(snapshot: Snapshot) -> list[str]:
    """The printed and official leaderboards, `official` first."""
    return _texts(
        snapshot,
        "SELECT DISTINCT leaderboard_id FROM leaderboards ORDER BY leaderboard_id != 'official', leaderboard_id",
    )


def qrels_ids(snapshot: Snapshot) -> list[str]:
    """The sets of judgments, `official` first."""
    return _texts(snapshot, "SELECT DISTINCT qrels_id FROM judgments ORDER BY qrels_id != 'official', qrels_id")


def has_official(store: Store, collection: str) -> bool:
    """Whether a collection has judgments of the name that they have by default; False also where that can't be read."""
    try:
        return collection in store.collections() and OFFICIAL in qrels_ids(store.snapshot(collection))
    except StoreError:
        return False


def run_ids(snapshot: Snapshot) -> list[str]:
    """The runs, sorted."""
    return _texts(snapshot, "SELECT DISTINCT run_id FROM rankings ORDER BY 1")


def systems(snapshot: Snapshot) -> list[str]:
    """The runs, and those of which only ranks of answers are known; where there are none, the leaderboards' systems."""
    runs = "SELECT run_id FROM rankings UNION SELECT run_id FROM scores WHERE method LIKE 'NRP(%' ORDER BY 1"
    listed = f"SELECT DISTINCT run_id FROM leaderboards WHERE run_id != '{OVERALL}' ORDER BY 1"
    return _texts(snapshot, runs) or _texts(snapshot, listed)


def _texts(snapshot: Snapshot, sql: str) -> list[str]:
    return list(_kept_texts(snapshot, sql))


@cached_by_snapshot(256)
@on_disk
def _kept_texts(snapshot: Snapshot, sql: str) -> tuple[str, ...]:
    """Names don't change while a snapshot lives, and every move of a slider asks for them."""
    return tuple(str(value) for value in snapshot.query(sql).iloc[:, 0])


# Of each kind: an id, the query that it belongs to, and its text. Words are looked for letter for letter, so that no
# character of theirs means anything else.
_KINDS = {
    "run": f"""
        SELECT DISTINCT run_id AS id, NULL AS query_id, '' AS text, 0 AS of_bank FROM (
            SELECT run_id FROM rankings UNION ALL SELECT run_id FROM leaderboards UNION ALL SELECT run_id FROM scores
        ) WHERE run_id != '{OVERALL}'
    """,
    "query": """
        SELECT query_id AS id, query_id, coalesce(query_text, concat_ws(' / ', title, subtopic)) AS text, 0 AS of_bank
        FROM queries
    """,
    "question": """
        SELECT question_id AS id, query_id, coalesce(question_text, '') AS text, row_number() OVER () AS of_bank
        FROM questions WHERE bank_id = $bank AND version = (SELECT max(version) FROM questions WHERE bank_id = $bank)
    """,
    "passage": """
        SELECT doc_id AS id, NULL AS query_id, coalesce(passage_text, '') AS text, 0 AS of_bank FROM passages
    """,
}
_FOUND = f"""
SELECT id, query_id, left(text, $characters) AS text, count(*) OVER () AS total
FROM (SELECT *, {searched("(id || ' ' || text)")} AS searched FROM ({{}})) known
WHERE list_bool_and(list_transform($words::VARCHAR[], lambda word: contains(searched, word)))
ORDER BY {searched("id")} != $asked, of_bank, lower(id), query_id LIMIT $most
"""


def search_each(
    snapshot: Snapshot, text: str, *, bank: str | None = None, most: int = 8, characters: int = 240
) -> dict[str, pd.DataFrame]:
    """What has all words of a text in its id or its own text, upper or lower case; words in quotes stand together.

    Parameters
    ----------
    bank : whose questions are searched, in the newest version; None for no questions
    most : of each kind; an id that is the whole text comes first, then questions in their bank's order, others by id
    characters : of a text's beginning

    Returns
    -------
    by kind (run, query, question, passage): id, query_id (null of runs and passages), text, total (all that was found)
    """
    words = words_of(text)
    request = {"words": words, "asked": composed(text.strip()), "most": most, "characters": characters}
    kinds = [kind for kind in _KINDS if words and (bank or kind != "question")]
    return {
        kind: snapshot.query(_FOUND.format(_KINDS[kind]), request | ({"bank": bank} if kind == "question" else {}))
        for kind in kinds
    }
