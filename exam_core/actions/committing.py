"""Committing imports: what they would replace, whether their ids fit the collection, and the commit of all together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from exam_core import __version__
from exam_core.errors import SHOWN, BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.column_names import named
from exam_core.formats.file_names import file_name
from exam_core.formats.format import Kind
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import RanksAndScores, fault_of_id, look_at_ranks
from exam_core.names import likeness, listed
from exam_core.progress import Progress, no_progress, part_of
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Committed, Origin, Prepared
from exam_core.store.differing import Lost, known_pairs, lost_rows, other_texts
from exam_core.store.files import content_name, modified
from exam_core.store.manifests import ID_COLUMN
from exam_core.store.names import Source, page_of
from exam_core.store.summary import query_ids, run_ids
from exam_core.tables import OVERALL, UNKNOWN_TIME
from exam_core.wording import counted

_CALLED = {
    "rankings": ("run {}", "rankings"),
    "judgments": ("judgments {}", "judgments"),
    "grades": ("labels of {}", "labels"),
    "leaderboards": ("leaderboard {}", "systems"),
    "scores": ("values of {}", "values"),
}
"""What an id of a table is called, and its rows."""

_PARTS = {
    "rankings": "It has none of the stored queries. If it is a part of the same run, import all parts in one command, "
    "or put them into one file.",
    **dict.fromkeys(
        ("judgments", "grades"), "It has none of the stored queries. If these belong together, put them into one file."
    ),
}


@dataclass(frozen=True)
class NewImport:
    """An import that is read, and not yet written.

    Parameters
    ----------
    owns : tables and ids whose rows come from this import alone
    """

    reading: Reading
    origin: Origin
    owns: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Replaced:
    """Rows of one id that an import takes away or changes, and where they came from."""

    lost: Lost
    source: str

    @property
    def what(self) -> str:
        """For instance `run bm25, 860 ranked passages (gone or changed: 12)`."""
        name, rows = (word.format(self.lost.name) for word in _CALLED[self.lost.table])
        return f"{name}, {counted({rows: self.lost.total})} (gone or changed: {self.lost.lost:,})"


def replaced(snapshot: Snapshot, imports: Sequence[NewImport], progress: Progress = no_progress) -> list[Replaced]:
    """What imports would take away or change of the ids that they own; equal rows are not replaced.

    What can't be read, because a file is damaged, is left out: it is healed by the file that it came from.
    """
    newest = _owners(snapshot)
    # What an earlier import of the same source brought goes with it, also where this one does not have it.
    sources = {new_import.origin.source for new_import in imports}
    gone = [own for own, source in newest.items() if source["source"] in sources]
    ids = dict.fromkeys([*(tuple(own) for item in imports for own in item.owns), *gone])
    losses, readings = [], [entry.reading for entry in imports]
    for table in dict.fromkeys(table for table, _ in ids if table in _CALLED):
        names = [name for own_table, name in ids if own_table == table]
        try:
            lost = lost_rows(snapshot, table, names, readings, with_texts=True, progress=progress)
        except StoreError:
            continue
        losses += [Replaced(loss, _source(snapshot, newest, loss)) for loss in lost if loss.lost]
    return losses


def _owners(snapshot: Snapshot) -> dict[tuple[str, str], dict[str, Any]]:
    """The import that owns an id, by table and id."""
    return {(table, name): source for source in snapshot.sources for table, name in source.get("owns", ())}


def left_out(snapshot: Snapshot, imports: Sequence[NewImport]) -> list[str]:
    """A sentence on rows that imports bring and that do not count, for each import that owns their ids already.

    Rows that are there, too, are not left out.
    """
    owners, of = _owners(snapshot), dict[str, list[str]]()
    sources = {new_import.origin.source for new_import in imports}
    for table, column in ((table, ID_COLUMN[table]) for table in _CALLED):
        names = [name for (own, name), owner in owners.items() if own == table and owner["source"] not in sources]
        readings = [item.reading for item in imports if names and table not in dict(item.owns)]
        parts = (part for reading in readings for part in reading.parts(table))
        counts = Counter(name for part in parts for name in part[column][part[column].isin(names)])
        try:
            for lost in lost_rows(snapshot, table, list(counts), readings):
                others = counts[lost.name] - (lost.total - lost.lost)
                if others:
                    what, rows = (word.format(lost.name) for word in _CALLED[table])
                    rows = counted({rows: counts[lost.name]})
                    sentence = f"{what}, {rows} (missing or different in the collection: {others:,})"
                    of.setdefault(owners[table, lost.name]["id"], []).append(sentence)
        except StoreError:
            continue
    return [
        f"Not counted, because data from {_named(source)} (import {source['id']}) has the same name: "
        f"{listed(of[source['id']])}. To count these, undo that import by its id; then import its file under another "
        "name."
        for source in snapshot.sources
        if source.get("id") in of
    ]


def _source(snapshot: Snapshot, newest: dict[tuple[str, str], dict[str, Any]], lost: Lost) -> str:
    """Where the rows of an id come from: the file that owns them, or all that own none of their table."""
    if owner := newest.get((lost.table, lost.name)):
        return _named(owner)
    files = set(snapshot.files.get(lost.table, {}).values())
    sources = [
        _named(source)
        for source in snapshot.sources
        if (source["file"] or source["source"]) in files and lost.table not in dict(source.get("owns", ()))
    ]
    return " and ".join(sources) or "elsewhere"


def _named(source: dict[str, Any]) -> str:
    return f"{source['file'] or source['source']} at {source['created']}"


def sentences(losses: Sequence[Replaced]) -> list[str]:
    """What imports replaced, a sentence for each file that it came from."""
    of: dict[str, list[str]] = {}
    for loss in losses:
        of.setdefault(loss.source, []).append(loss.what)
    return [f"It replaces what was imported from {source}: {listed(whats)}." for source, whats in of.items()]


def refuse_replacing(losses: Sequence[Replaced], files: str, collection: str, remedy: str) -> None:
    """Raise BadInput for runs, or judgments or labels of other queries, that would be replaced though nobody said so.

    Parameters
    ----------
    files : what is imported
    remedy : how to say so, and what to do instead
    """
    gone = [loss for loss in losses if loss.lost.table == "rankings" or loss.lost.apart]
    if not gone:
        return
    table = gone[0].lost.table
    what = {"rankings": "runs", "grades": "labels"}.get(table, table)
    lines = [f"{files}: {collection} has {what} of the same name already, which would be replaced."]
    lines += [f"  {loss.what}, imported from {loss.source}" for loss in gone[:SHOWN]]
    if len(gone) > SHOWN:
        lines.append(f"  ... and {len(gone) - SHOWN:,} more")
    if all(loss.lost.apart for loss in gone):
        lines.append(_PARTS[table])
    raise BadInput("\n".join([*lines, f"{remedy} Nothing was stored."]))


def superseded(snapshot: Snapshot, sources: Collection[str]) -> list[str]:
    """Sentences on earlier imports of the same sources, which are superseded as a whole."""
    return [
        f"It replaces what was imported from {_named(old)}: {counted(old['counts'])}."
        for old in snapshot.sources
        if old["source"] in sources
    ]


def reworded(snapshot: Snapshot, imports: Sequence[NewImport]) -> list[str]:
    """A sentence on queries that have another text from now on: the newest import that knows one is believed."""
    try:
        changed = other_texts(snapshot, [new_import.reading for new_import in imports])
    except StoreError:
        return []
    if not changed:
        return []
    first = visible(changed[0], line_ends=False)
    return [f"{counted({'queries': len(changed)})} had another text before, the first is {first}: the new one counts."]


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


class FileOutline:
    """What a file brings, as far as a preview looks at it: its parts are looked at as they come, and not kept."""

    def __init__(self) -> None:
        self.queries: dict[str, dict[str, None]] = defaultdict(dict)
        self.systems: set[str] = set()
        self._first: dict[str, pd.DataFrame] = {}
        self._top: list[pd.DataFrame] = []

    def add(self, part: Reading) -> None:
        """Look at a part."""
        for table, frame in ((name, some) for name in (*part.frames, *part.spills) for some in part.parts(name)):
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


def fit_of(outline: FileOutline, kind: Kind, before: Snapshot) -> tuple[list[str], bool]:
    """Sentences on how what a file brings matches a collection, and whether the collection has none of its queries."""
    known, theirs = dict.fromkeys(query_ids(before)), list(outline.queries.get(kind.main, ()))
    fit, is_strange = [], False
    if known and theirs:
        named = is_known(known)
        is_strange = kind.key not in _ELSEWHERE and not any(map(named, theirs))
        fit = _fit_of_queries(before.collection, theirs, known)
    if kind.key == "run":
        fit += _fit_of_runs(outline.top, before)
    if kind.key == "leaderboard" and (runs := set(run_ids(before))):
        fit.append(
            f"{len(outline.systems & runs):,} of the file's {len(outline.systems):,} runs are in the collection."
        )
    return fit, is_strange


def _fit_of_queries(collection: str, theirs: Sequence[str], known: Collection[str]) -> list[str]:
    strangers, own = [name for name in theirs if name not in known], set(theirs)
    absent = [name for name in known if name not in own]
    fit = []
    if strangers:
        verb = "is" if len(strangers) == 1 else "are"
        fit.append(
            f"{len(strangers):,} of the file's {len(theirs):,} queries {verb} not in {collection}: {listed(strangers)}."
        )
    if absent:
        fit.append(
            f"The file has nothing for {len(absent):,} of the {len(known):,} queries of {collection}: {listed(absent)}."
        )
    return fit or [f"The file's {counted({'queries are': len(theirs)})} those of {collection}."]


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


def strangers(before: Snapshot, imports: Sequence[NewImport], ids: Sequence[str]) -> list[str]:
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
    of_run = {f"run {name}": its for new_import, its in zip(imports, ids, strict=True) for _, name in new_import.owns}
    undo = defaultdict(lambda: ids[-1], of_run)
    for kind in dict.fromkeys(Source.parse(item.origin.source).kind for item in imports):
        readings = [entry.reading for entry in imports if Source.parse(entry.origin.source).kind == kind]
        notes += _of_queries(before.collection, known, _queries(readings), undo, alone=kind not in _ELSEWHERE)
        if table := _OF_PASSAGES.get(kind):
            notes += _of_passages(before, table, readings)
    return notes


def _queries(readings: Sequence[Reading]) -> dict[str, dict[str, None]]:
    """Of each run its queries, and of all other tables together theirs."""
    named: dict[str, dict[str, None]] = defaultdict(dict)
    others = dict[str, None]()
    for table, frame in ((name, part) for reading in readings for name in _OF_QUERIES for part in reading.parts(name)):
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
    own = set(theirs) | {page_of(query_id) for query_id in theirs}
    alike = likeness(strange, [query_id for query_id in known if query_id not in own])
    none = {name: queries for name, queries in named.items() if queries and not any(map(has, queries))}
    if none and (alone or alike):
        first = next(iter(next(iter(none.values()))))
        n = len({query_id for queries in none.values() for query_id in queries})
        sentence = (
            f"{_whose(list(filter(None, none)))} queries is a query of the collection ({n:,}, such as {first}; "
            f"{collection} has queries such as {next(iter(known))})."
        )
        imports = dict.fromkeys(undo[name] for name in none)
        return [" ".join(filter(None, [sentence, alike, _REMEDY.format(", ".join(imports))]))]
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


def contradicting(imports: Sequence[NewImport]) -> list[str]:
    """A note on runs whose ranks say another order than their scores."""
    ranks = [new_import.reading.ranks or _ranks_of(new_import.reading) for new_import in imports]
    first = next((rank.first for rank in ranks if rank.odd), None)
    if first is None:
        return []
    odd, total = sum(ranks_and_scores.odd for ranks_and_scores in ranks), sum(item.rankings for item in ranks)
    return [
        f"Ranks contradict scores in {odd:,} of {total:,} rankings, as in run {first['run_id']} for query "
        f"{first['query_id']}, where rank {first['source_rank']} has a larger score than rank {first['rank_before']}. "
        "Passages are ranked by score, as in trec_eval; --order rank takes the ranks of the file."
    ]


def _ranks_of(reading: Reading) -> RanksAndScores:
    summary = RanksAndScores()
    if "rankings" in reading.frames:
        look_at_ranks(summary, reading.frames["rankings"])
    return summary


READ = 0.6
"""Share of the time of an import in which files are read; then what they bring is compared."""


@dataclass
class ImportResult:
    """What an import did, or would do; of files of several kinds also what those of each brought.

    Parameters
    ----------
    changed : False if the collection held all of it already
    healed : files of the store that were damaged or gone, and that this file made whole again
    import_ids : of what is new, to undo it by
    replaced : sentences on what it took the place of; they are notes, too
    is_new : whether the collection was not there before
    parts : of an `ImportPlan`, the result of each of the imports that it consists of
    files, kind, name : of such a part, what was imported, and under which name
    refused : why such a part is refused, in the words of its import
    fit : sentences on how its queries, passages and runs match the collection
    strange : those of its files of whose queries the collection has none
    rows : the first rows of its main table
    """

    collection: str
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    healed: int = 0
    import_ids: tuple[str, ...] = ()
    replaced: list[str] = field(default_factory=list)
    is_new: bool = False
    parts: list[ImportResult] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    kind: Kind | None = None
    name: str = ""
    refused: str = ""
    fit: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    rows: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def counted(self) -> str:
        """The counts in words, for instance `1 run, 860 ranked passages`."""
        return counted(self.counts)

    @property
    def sentence(self) -> str:
        """Which files a part has, what they are, and bring: `a.run, b.run: Run, 2 runs, 40 ranked passages`."""
        noun = self.kind.noun if self.kind else ""
        what = f"{noun} named {self.name}" if self.name and "judges" not in self.counts else noun
        state = "" if self.changed or self.refused else "already there"
        return f"{listed(self.files)}: {', '.join(filter(None, [what, self.counted, state]))}"

    def add_up(self, queries: int) -> None:
        """Make the result of the whole of those of its parts, which have so many queries together."""
        for part in self.parts:
            self.changed |= part.changed
            self.healed += part.healed
            self.import_ids += part.import_ids
            self.notes += [note for note in part.notes if note not in self.notes]
            self.replaced += part.replaced
            self.strange += part.strange
            for name, count in part.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
        self.refused = "\n".join(part.refused for part in self.parts if part.refused)
        if len(self.parts) > 1 and "queries" in self.counts:
            self.counts["queries"] = queries
        for name in ("questions", "passages"):  # those of a bank or corpus may be graded, too: they are no more of them
            if len({part.kind for part in self.parts if name in part.counts}) > 1:
                del self.counts[name]


def refuse_blank(option: str, name: str) -> None:
    """Raise UsageError for a name that says nothing, or that nobody could type."""
    if not name.strip():
        raise UsageError(f"{option}: give a name.")
    if fault := fault_of_id(name):
        raise UsageError(f"{option} {visible(name, line_ends=False)[:80]}: the name {fault}. Give another one.")


def refuse_version(bank: str | None) -> None:
    """Raise UsageError for a bank's name that nobody could type, or that names a version."""
    if bank is not None:
        refuse_blank("--bank", bank)
    if bank and "@" in bank:
        raise UsageError(f"Bank name {bank}: leave out what follows the @; versions are numbered by the store.")


def new_import(path: Path, reading: Reading, origin: Origin, owns: Sequence[tuple[str, str]] = ()) -> NewImport:
    """What a file brings; raises BadInput where it holds nothing.

    Parameters
    ----------
    origin : whose source is known; file and hash are filled in
    owns : tables and ids whose rows come from this file alone
    """
    refuse_nothing(path, reading)
    origin = replace(origin, file=file_name(path), sha256=origin.sha256 or file_hash(path))
    return NewImport(reading, origin, owns)


def commit_all(
    store: Store,
    collection: str,
    imports: Sequence[NewImport],
    remedy: str | None = None,
    *,
    about: Reading | None = None,
    progress: Progress = no_progress,
) -> ImportResult:
    """Commit imports into one collection, all of them or none, and say what they replace.

    Each replaces the earlier import of the same source.

    Parameters
    ----------
    remedy : what to do instead of replacing runs, or judgments of other queries, which is refused; None replaces them
    about : counts and notes of all of them, where these are not those of each together

    Raises
    ------
    BadInput : they contradict what is there, or would replace a run though nobody said so
    UsageError : the name of a grader is that of another one
    """

    def look(snapshot: Snapshot | None) -> list[Replaced]:
        losses = replaced(snapshot, imports, progress) if snapshot else []
        if remedy is not None:
            files = ", ".join(dict.fromkeys(new_import.origin.file for new_import in imports))
            refuse_replacing(losses, files, collection, remedy)
        return losses

    done = ImportResult(collection, changed=False)
    for reading in [about] if about else [item.reading for item in imports]:
        done.counts |= reading.counts
        done.notes += reading.notes
    graders = {name: about for entry in imports for name, about in entry.reading.graders.items()}
    if graders:
        from exam_core.grading.modes.grader_name_rules import refuse_grader

        for grader, described in graders.items():
            refuse_grader(grader, described)
    before = known(store, collection)
    losses = look(before)
    prepared = [store.prepare(collection, one.reading, one.origin, owns=one.owns) for one in imports]
    with store.locked(collection):
        if (now := known(store, collection)) != before:
            before, losses = now, look(now)
        committed = store.commit_together(prepared)
    for its in committed:
        add_commit(done, its)
    if done.changed:
        done.notes += contradicting(imports)
    if done.changed and before:
        new = {one.origin.source for one, its in zip(imports, committed, strict=True) if its.changed}
        notes = sentences(losses) or superseded(before, new)
        say_replaced(done, [*notes, *reworded(before, imports)])
        done.notes += left_out(before, imports)
        add_notes(done, lambda: strangers(before, imports, [its.import_id for its in committed]))
    return done


def say_replaced(done: ImportResult, sentences: list[str]) -> None:
    """Add what an import took the place of to what it tells."""
    done.replaced += sentences
    done.notes += sentences


def add_commit(done: ImportResult, committed: Committed) -> None:
    """What a commit did, added to what an import tells."""
    done.changed |= committed.changed
    done.healed += committed.healed
    done.import_ids += (committed.import_id,) if committed.changed else ()
    done.notes += committed.notes


def add_notes(done: ImportResult, notes: Callable[[], list[str]]) -> None:
    """What else is to be said of an import that is done: a damaged file elsewhere must not make it look undone."""
    try:
        done.notes += notes()
    except StoreError as error:
        done.notes += [note for note in str(error).splitlines() if note not in done.notes]


def refuse_nothing(path: Path | str, reading: Reading) -> None:
    """Raise BadInput for a file, or what else is named, without any row."""
    if reading.is_empty:
        raise nothing_in(path)


def nothing_in(path: Path | str) -> BadInput:
    """That a file holds nothing."""
    right = "it is the right file" if isinstance(path, Path) else "it is what you mean"
    return BadInput(f"{path}: holds nothing to import. Check that {right}. Nothing was stored.")


def exists(store: Store, collection: str) -> bool:
    """Whether there is such a collection."""
    return collection in store.collections()


def known(store: Store, collection: str) -> Snapshot | None:
    """A collection as it is; None where there is none."""
    return store.snapshot(collection) if exists(store, collection) else None


@dataclass(frozen=True)
class SourceFiles:
    """Files that are to be read, as they are now.

    Parameters
    ----------
    hashes : of their bytes
    how : what is read, and by which version and options
    """

    paths: Sequence[Path]
    hashes: Sequence[str]
    times: Sequence[int | None]
    how: str

    def read(self, imports: int = 1) -> str:
        """What an import keeps of it, one of so many; nothing where a file was written to meanwhile."""
        return f"{self.how} of {imports}" if list(map(modified, self.paths)) == self.times else ""

    def origin(self, source: str) -> Origin:
        """Where the import of the only file comes from."""
        return Origin(source, file_name(self.paths[0]), self.hashes[0], self.read())


def source_files(kind: str, paths: Sequence[Path], progress: Progress = no_progress, **options: object) -> SourceFiles:
    """Files that come, and all that what is read of them depends on."""
    times = list(map(modified, paths))
    hashes = [file_hash(path, part_of(progress, place, len(paths))) for place, path in enumerate(paths)]
    rows = [__version__, kind, [*map(file_name, paths)], hashes, list(map(named, paths)), options]
    return SourceFiles(paths, hashes, times, content_name(msgspec.json.encode(rows)))


def again(store: Store, collection: str, files: SourceFiles) -> tuple[ImportResult, Sequence[Prepared]] | None:
    """What is said of files that came before, and the imports that they are; None where they are to be read.

    They came before where all that they brought counts.

    Raises
    ------
    BadInput : what is stored contradicts other imports
    """
    if store.is_file or not exists(store, collection):
        return None
    with store.locked(collection):
        prepared = store.prepare_again(collection, files.how)
        committed = store.commit_together(prepared)
    if not prepared:
        return None
    done = ImportResult(collection, changed=False)
    for prepared_import, its in zip(prepared, committed, strict=True):
        done.counts |= {name: done.counts.get(name, 0) + count for name, count in prepared_import.about.counts.items()}
        done.notes += prepared_import.about.notes
        add_commit(done, its)
    return done, prepared
