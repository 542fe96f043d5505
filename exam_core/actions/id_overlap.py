"""How what an import brings fits what the collection has: ids of queries and passages that are none of its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

import pandas as pd

from exam_core.actions.replacing import Bringing
from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.likeness import likeness
from exam_core.formats import Reading
from exam_core.formats.format import Kind
from exam_core.formats.ranking import RanksAndScores, look_at_ranks
from exam_core.store import Snapshot
from exam_core.store.differing import known_pairs
from exam_core.store.names import Source, page_of
from exam_core.store.summary import query_ids, run_ids
from exam_core.tables import OVERALL, UNKNOWN_TIME
from exam_core.wording import counted

_OF_QUERIES = ("rankings", "judgments", "grades", "questions", "scores")
"""Tables by which a query is answered, judged, graded or asked."""
_ELSEWHERE = ("workbench", "duckdb", "orders")
"""Kinds whose files bring queries of their own, as parts of a collection do."""
_OF_PASSAGES = {"run": "rankings", "runs": "rankings", "qrels": "judgments", "labels": "grades"}
"""Kinds that name passages by ids which others have, too, and the table that does so."""
_REMEDY = "If these are meant, undo this import (import undo {}), correct the ids and import the file again."
_UNDO = re.compile(r"undo this import \(import undo [^()]*\), correct the ids and import the file again")
_LOOKED_AT = 20
"""Queries whose passages are looked at for ids that are alike."""
_TOP, _FIRST_ROWS = 20, 8


def untaken(note: str) -> str:
    """A note as a preview has it, which stores nothing that could be taken back."""
    return _UNDO.sub("correct the ids", note)


class Brings:
    """What a file brings, as far as a preview looks at it: its parts are looked at as they come, and not kept."""

    def __init__(self) -> None:
        self.queries: dict[str, dict[str, None]] = defaultdict(dict)
        self.systems: set[str] = set()
        self._first: dict[str, pd.DataFrame] = {}
        self._top: list[pd.DataFrame] = []

    def add(self, part: Reading) -> None:
        """Look at a part."""
        for table, frame in ((name, some) for name in (*part.frames, *part.aside) for some in part.parts(name)):
            if "query_id" in frame:
                self.queries[table] |= dict.fromkeys(frame["query_id"].dropna().unique().tolist())
            if len(frame) and len(self._first.get(table, ())) < _FIRST_ROWS:
                self._first[table] = pd.concat([*filter(len, [self._first.get(table, ())]), frame])[:_FIRST_ROWS]
        for rankings in part.parts("rankings"):
            self._top.append(rankings.loc[rankings["rank"] <= _TOP, ["query_id", "doc_id"]].astype(object))
        if "leaderboards" in part.frames:
            self.systems |= set(part.frames["leaderboards"]["run_id"]) - {OVERALL}

    def rows(self, table: str) -> pd.DataFrame:
        """The first rows of a table, or of another one where it has none."""
        frame = self._first.get(table)
        if frame is None:
            frame = next(iter(self._first.values()), pd.DataFrame())
        shown = frame.drop(columns=["extra", "text_hash", "cut"], errors="ignore").replace(UNKNOWN_TIME, None)
        return shown.dropna(axis="columns", how="all")

    @property
    def top(self) -> pd.DataFrame:
        """Queries and passages of the first places of its runs."""
        return pd.concat(self._top, ignore_index=True)


def fit_of(brings: Brings, kind: Kind, before: Snapshot) -> tuple[list[str], bool]:
    """Sentences on how what a file brings matches a collection, and whether the collection has none of its queries."""
    known, theirs = dict.fromkeys(query_ids(before)), list(brings.queries.get(kind.main, ()))
    found, is_strange = [], False
    if known and theirs:
        named = is_known(known)
        is_strange = kind.key not in _ELSEWHERE and not any(map(named, theirs))
        found = _fit_of_queries(before.collection, theirs, known)
    if kind.key == "run":
        found += _fit_of_runs(brings.top, before)
    if kind.key == "leaderboard" and (runs := set(run_ids(before))):
        found.append(
            f"{len(brings.systems & runs):,} of the file's {len(brings.systems):,} runs are in the collection."
        )
    return found, is_strange


def _fit_of_queries(collection: str, theirs: Sequence[str], known: Collection[str]) -> list[str]:
    strangers, there = [name for name in theirs if name not in known], set(theirs)
    absent = [name for name in known if name not in there]
    found = []
    if strangers:
        verb = "is" if len(strangers) == 1 else "are"
        found.append(
            f"{len(strangers):,} of the file's {len(theirs):,} queries {verb} not in {collection}: {listed(strangers)}."
        )
    if absent:
        found.append(
            f"The file has nothing for {len(absent):,} of the {len(known):,} queries of {collection}: {listed(absent)}."
        )
    return found or [f"The file's {counted({'queries are': len(theirs)})} those of {collection}."]


def _fit_of_runs(first: pd.DataFrame, before: Snapshot) -> list[str]:
    """How many of the runs' first passages are graded: the others will be holes."""
    graded = before.query("SELECT DISTINCT query_id, doc_id FROM grades")
    if not len(graded):
        return []
    missing = len(first) - len(first.merge(graded.astype(object), on=["query_id", "doc_id"]))
    if not missing:
        return [f"All passages in the file's top {_TOP} are graded."]
    some = f"{missing:,} of the {len(first):,} passages in the file's top {_TOP}"
    return [f"{some} have no grade and count as answering nothing."]


def strangers(before: Snapshot, brought: Sequence[Bringing], ids: Sequence[str]) -> list[str]:
    """Notes on queries and passages of which the collection has none, and on ids that look alike.

    Parameters
    ----------
    before : the collection without them
    ids : of each import, to undo it by
    """
    known = dict.fromkeys(query_ids(before))
    if not known:
        return []
    notes = []
    of_run = {f"run {name}": its for one, its in zip(brought, ids, strict=True) for _, name in one.owns}
    undo = defaultdict(lambda: ids[-1], of_run)
    for kind in dict.fromkeys(Source.parse(one.origin.source).kind for one in brought):
        readings = [one.reading for one in brought if Source.parse(one.origin.source).kind == kind]
        notes += _of_queries(before.collection, known, _queries(readings), undo, alone=kind not in _ELSEWHERE)
        if table := _OF_PASSAGES.get(kind):
            notes += _of_passages(before, table, readings)
    return notes


def _queries(readings: Sequence[Reading]) -> dict[str, dict[str, None]]:
    """Of each run its queries, and of all other tables together theirs."""
    named: dict[str, dict[str, None]] = defaultdict(dict)
    others = dict[str, None]()
    for table, frame in ((name, part) for one in readings for name in _OF_QUERIES for part in one.parts(name)):
        if table == "rankings":
            for run_id, rows in frame.groupby("run_id", sort=False):
                named[f"run {run_id}"] |= dict.fromkeys(rows["query_id"].unique().tolist())
        else:
            others |= dict.fromkeys(frame["query_id"].dropna().unique().tolist())
    return named | ({"": others} if others else {})


def _of_queries(
    collection: str,
    known: Collection[str],
    named: Mapping[str, Collection[str]],
    undo: Mapping[str, str],
    *,
    alone: bool,
) -> list[str]:
    """Notes on queries that the collection does not have.

    Parameters
    ----------
    undo : by name the import to undo
    alone : whether it is odd to have none of the collection's queries
    """
    has, theirs = is_known(known), {query_id: None for queries in named.values() for query_id in queries}
    strange = [query_id for query_id in theirs if not has(query_id)]
    there = set(theirs) | {page_of(query_id) for query_id in theirs}
    alike = likeness(strange, [query_id for query_id in known if query_id not in there])
    none = {name: queries for name, queries in named.items() if queries and not any(map(has, queries))}
    if none and (alone or alike):
        first = next(iter(next(iter(none.values()))))
        n = len({query_id for queries in none.values() for query_id in queries})
        said = (
            f"{_whose(list(filter(None, none)))} queries is a query of the collection ({n:,}, such as {first}; "
            f"{collection} has queries such as {next(iter(known))})."
        )
        imports = dict.fromkeys(undo[name] for name in none)
        return [" ".join(filter(None, [said, alike, _REMEDY.format(", ".join(imports))]))]
    if alike:
        some = counted({"queries": len(strange)})
        return [f"Not in {collection}, but like some of its queries: {some} of the file. {alike}"]
    return []


def is_known(known: Collection[str]) -> Callable[[str], bool]:
    """Whether a query, its page or one of its facets is one of these."""
    pages = {page_of(query_id) for query_id in known}
    return lambda query_id: query_id in known or page_of(query_id) in known or query_id in pages


def _whose(runs: Sequence[str]) -> str:
    if not runs:
        return "None of its"
    return f"{runs[0][0].upper()}{runs[0][1:]}: none of its" if len(runs) == 1 else f"{listed(runs)}: none of their"


def _of_passages(before: Snapshot, table: str, brought: Sequence[Reading]) -> list[str]:
    """A note where the collection knows passages of the same queries, and none of these is one of them."""
    found = known_pairs(before, table, brought, _LOOKED_AT)
    if found is None or found.shared:
        return []
    frames = (frame for one in brought for frame in one.parts(table))
    docs = (frame["doc_id"][frame["query_id"].isin(found.queries)] for frame in frames)
    mine = list(dict.fromkeys(chain.from_iterable(docs)))
    what = "judged or graded" if table == "rankings" else "known"
    said = (
        f"None of its {len(mine):,} passages for queries of {before.collection} is {what} there: the file has ids such "
        f"as {mine[0]}, the collection such as {found.docs[0]}."
    )
    return [" ".join(filter(None, [said, likeness(mine, found.docs)]))]


def contradicting(brought: Sequence[Bringing]) -> list[str]:
    """A note on runs whose ranks say another order than their scores."""
    ranks = [one.reading.ranks or _ranks_of(one.reading) for one in brought]
    first = next((one.first for one in ranks if one.odd), None)
    if first is None:
        return []
    found, n = sum(one.odd for one in ranks), sum(one.rankings for one in ranks)
    return [
        f"Ranks contradict scores in {found:,} of {n:,} rankings, as in run {first['run_id']} for query "
        f"{first['query_id']}, where rank {first['source_rank']} has a larger score than rank {first['rank_before']}. "
        "Passages are ranked by score, as in trec_eval; --order rank takes the ranks of the file."
    ]


def _ranks_of(reading: Reading) -> RanksAndScores:
    found = RanksAndScores()
    if "rankings" in reading.frames:
        look_at_ranks(found, reading.frames["rankings"])
    return found
