"""How a file fits a collection: whose queries, passages and runs it has, and which of its ids look alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import pandas as pd

from exam_core.formats import Reading
from exam_core.formats.format import Kind
from exam_core.names import likeness, listed
from exam_core.store import Snapshot
from exam_core.store.differing import known_pairs
from exam_core.store.names import Source, page_of
from exam_core.store.summary import query_ids, run_ids
from exam_core.tables import OVERALL, UNKNOWN_TIME
from exam_core.wording import counted

if TYPE_CHECKING:
    from exam_core.actions.committing import NewImport

_OF_QUERIES = ("judgments", "grades", "questions", "scores")
"""Tables by which a query is judged, graded, asked or evaluated."""
_ELSEWHERE = ("workbench", "duckdb", "orders")
"""Kinds whose files bring queries of their own, as parts of a collection do."""
_OF_PASSAGES = {"run": "rankings", "runs": "rankings", "qrels": "judgments", "labels": "grades"}
"""Kinds that name passages by ids which others have, too, and the table that does so."""
_LOOKED_AT = 20
"""Queries whose passages are looked at for ids that are alike."""
_TOP, _FIRST_ROWS = 20, 8


def first_rows(readings: Sequence[Reading], table: str) -> pd.DataFrame:
    """The first rows of a table that a file brings, or of another one where it has none, as a preview shows them."""
    tables = ((reading, name) for reading in readings for name in (table, *reading.frames, *reading.spills))
    parts = (part for reading, name in tables for part in reading.parts(name) if len(part))
    frame = next(parts, pd.DataFrame())[:_FIRST_ROWS]
    shown = frame.drop(columns=["extra", "text_hash", "cut"], errors="ignore").replace(UNKNOWN_TIME, None)
    return shown.dropna(axis="columns", how="all")


def queries_in(readings: Sequence[Reading], tables: Iterable[str]) -> dict[str, None]:
    """The queries that rows of tables name, in their order."""
    frames = (part for table in tables for reading in readings for part in reading.parts(table))
    parts = (part for part in frames if "query_id" in part)
    return dict.fromkeys(chain.from_iterable(part["query_id"].dropna().unique().tolist() for part in parts))


def fit_of(readings: Sequence[Reading], kind: Kind, before: Snapshot) -> tuple[list[str], bool]:
    """Sentences on how what a file brings matches a collection, and whether the collection has none of its queries."""
    known, theirs = dict.fromkeys(query_ids(before)), queries_in(readings, [kind.main])
    fit, is_strange = list[str](), False
    if known and theirs:
        is_strange = kind.key not in _ELSEWHERE and not any(map(is_known(known), theirs))
        new, absent = (
            [name for name in names if name not in others] for names, others in ((theirs, known), (known, theirs))
        )
        if new:
            verb = "is" if len(new) == 1 else "are"
            fit.append(
                f"{len(new):,} of the file's {len(theirs):,} queries {verb} not in {before.collection}: {listed(new)}."
            )
        if absent:
            all_known = f"{len(known):,} queries of {before.collection}"
            fit.append(f"The file has nothing for {len(absent):,} of the {all_known}: {listed(absent)}.")
        fit = fit or [f"The file's {counted({'queries are': len(theirs)})} those of {before.collection}."]
    if kind.key == "run" and len(graded := before.query("SELECT DISTINCT query_id, doc_id FROM grades")):
        parts = (part for reading in readings for part in reading.parts("rankings"))
        ranked = (part.loc[part["rank"] <= _TOP, ["query_id", "doc_id"]] for part in parts)
        top = pd.concat(ranked, ignore_index=True).astype(object)
        missing = len(top) - len(top.merge(graded.astype(object), on=["query_id", "doc_id"]))
        some = f"{missing:,} of the {len(top):,} passages in the file's top {_TOP}"
        all_graded = f"All passages in the file's top {_TOP} are graded."
        fit.append(f"{some} have no grade and count as answering nothing." if missing else all_graded)
    if kind.key == "leaderboard" and (runs := set(run_ids(before))):
        systems = {run for reading in readings for run in reading.frames["leaderboards"]["run_id"]} - {OVERALL}
        fit.append(f"{len(systems & runs):,} of the file's {len(systems):,} runs are in the collection.")
    return fit, is_strange


def about_ids(before: Snapshot, imports: Sequence[NewImport]) -> list[str]:
    """Notes on queries and passages of which the collection has none, and on ids that look alike.

    `before`: the collection without the imports.
    """
    known = dict.fromkeys(query_ids(before))
    if not known:
        return []
    notes = []
    for kind in dict.fromkeys(Source.parse(item.origin.source).kind for item in imports):
        readings = [entry.reading for entry in imports if Source.parse(entry.origin.source).kind == kind]
        notes += _of_queries(before.collection, known, _queries(readings), alone=kind not in _ELSEWHERE)
        if table := _OF_PASSAGES.get(kind):
            notes += _of_passages(before, table, readings)
    return notes


def _queries(readings: Sequence[Reading]) -> dict[str, dict[str, None]]:
    """Of each run its queries, and of all other tables together theirs."""
    named: dict[str, dict[str, None]] = defaultdict(dict)
    for frame in (part for reading in readings for part in reading.parts("rankings")):
        for run_id, rows in frame.groupby("run_id", sort=False):
            named[f"run {run_id}"] |= dict.fromkeys(rows["query_id"].unique().tolist())
    others = queries_in(readings, _OF_QUERIES)
    return named | ({"": others} if others else {})


def _of_queries(
    collection: str, known: Collection[str], named: Mapping[str, Collection[str]], *, alone: bool
) -> list[str]:
    """Notes on queries that the collection does not have.

    `alone`: whether it is odd to have none of the collection's queries.
    """
    has, theirs = is_known(known), {query_id: None for queries in named.values() for query_id in queries}
    strange = [query_id for query_id in theirs if not has(query_id)]
    own = set(theirs) | {page_of(query_id) for query_id in theirs}
    alike = likeness(strange, [query_id for query_id in known if query_id not in own])
    none = {name: queries for name, queries in named.items() if queries and not any(map(has, queries))}
    if none and (alone or alike):
        strange, runs = list(dict.fromkeys(chain.from_iterable(none.values()))), list(filter(None, none))
        whose = f"{listed(runs)}: none of their" if len(runs) > 1 else f"R{runs[0][1:]}: none of its" if runs else ""
        sentence = (
            f"{whose or 'None of its'} queries is a query of the collection ({len(strange):,}, such as {strange[0]}; "
            f"{collection} has queries such as {next(iter(known))})."
        )
        remedy = "If these are meant, correct the ids and import the file again."
        return [" ".join(filter(None, [sentence, alike, remedy]))]
    if alike:
        some = counted({"queries": len(strange)})
        return [f"Not in {collection}, but like some of its queries: {some} of the file. {alike}"]
    return []


def is_known(known: Collection[str]) -> Callable[[str], bool]:
    """Whether a query, its page or one of its facets is one of these."""
    pages = {page_of(query_id) for query_id in known}
    return lambda query_id: query_id in known or page_of(query_id) in known or query_id in pages


def _of_passages(before: Snapshot, table: str, imports: Sequence[Reading]) -> list[str]:
    """A note where the collection knows passages of the same queries, and none of these is one of them."""
    pairs = known_pairs(before, table, imports, _LOOKED_AT)
    if pairs is None or pairs.shared:
        return []
    frames = (frame for reading in imports for frame in reading.parts(table))
    docs = (frame["doc_id"][frame["query_id"].isin(pairs.queries)] for frame in frames)
    mine = list(dict.fromkeys(chain.from_iterable(docs)))
    what = "judged or graded" if table == "rankings" else "known"
    sentence = (
        f"None of its {len(mine):,} passages for queries of {before.collection} is {what} there: the file has ids such "
        f"as {mine[0]}, the collection such as {pairs.docs[0]}."
    )
    return [" ".join(filter(None, [sentence, likeness(mine, pairs.docs)]))]
