"""Committing imports: what they would replace, and the commit of all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from exam_core.actions.fitting import about_ids
from exam_core.errors import SHOWN, BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name
from exam_core.formats.format import Kind
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import RanksAndScores, fault_of_id, trec_rank
from exam_core.names import listed
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Committed, Origin
from exam_core.store.differing import Lost, lost_rows, other_texts
from exam_core.store.manifests import ID_COLUMN
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
    "rankings": "It has none of the stored queries. If it is a part of the same run, put all parts into one file.",
    **dict.fromkeys(
        ("judgments", "grades"), "It has none of the stored queries. If these belong together, put them into one file."
    ),
}


@dataclass(frozen=True)
class NewImport:
    """An import that is read, and not yet written.

    `owns`: tables and ids whose rows come from this import alone.
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
    owners, by_import = _owners(snapshot), dict[str, list[str]]()
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
                    by_import.setdefault(owners[table, lost.name]["id"], []).append(sentence)
        except StoreError:
            continue
    return [
        f"Not counted, because data from {_named(source)} (import {source['id']}) has the same name: "
        f"{listed(by_import[source['id']])}. To count these, undo that import by its id; then import its file under "
        "another name."
        for source in snapshot.sources
        if source.get("id") in by_import
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
    by_source: dict[str, list[str]] = {}
    for loss in losses:
        by_source.setdefault(loss.source, []).append(loss.what)
    return [f"It replaces what was imported from {source}: {listed(lost)}." for source, lost in by_source.items()]


def refuse_replacing(losses: Sequence[Replaced], files: str, collection: str, remedy: str) -> None:
    """Raise BadInput for runs, or judgments or labels of other queries, that would be replaced though nobody said so.

    `files`: what is imported. `remedy`: how to say so, and what to do instead.
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


def contradicting(imports: Sequence[NewImport]) -> list[str]:
    """A note on runs whose ranks say another order than their scores."""
    ranks = [new_import.reading.ranks or RanksAndScores() for new_import in imports]
    for summary, reading in ((summary, item.reading) for summary, item in zip(ranks, imports, strict=True)):
        if reading.ranks is None and "rankings" in reading.frames:
            trec_rank(reading.frames["rankings"], summary)
    first = next((summary.first for summary in ranks if summary.odd), None)
    if first is None:
        return []
    odd, total = sum(summary.odd for summary in ranks), sum(summary.rankings for summary in ranks)
    return [
        f"Ranks contradict scores in {odd:,} of {total:,} rankings, as in run {first['run_id']} for query "
        f"{first['query_id']}, where rank {first['source_rank']} has a larger score than rank {first['rank_before']}. "
        "Passages are ranked by score, as in trec_eval; --order rank takes the ranks of the file."
    ]


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
    imports : what was imported, until it is compared with the collection
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
    imports: list[NewImport] = field(default_factory=list, repr=False)

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

    `origin`: whose source is known; file and hash are filled in. `owns`: tables and ids whose rows come from this file
    alone.
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

    done = ImportResult(collection, changed=False, imports=list(imports))
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
    prepared = [store.prepare(collection, new.reading, new.origin, owns=new.owns) for new in imports]
    with store.locked(collection):
        if (now := known(store, collection)) != before:
            before, losses = now, look(now)
        committed = store.commit_together(prepared)
    for its in committed:
        add_commit(done, its)
    if done.changed:
        done.notes += contradicting(imports)
    if done.changed and before:
        new = {item.origin.source for item, its in zip(imports, committed, strict=True) if its.changed}
        notes = sentences(losses) or superseded(before, new)
        say_replaced(done, [*notes, *reworded(before, imports)])
        done.notes += left_out(before, imports)
        add_notes(done, lambda: about_ids(before, imports))
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


def known(store: Store, collection: str) -> Snapshot | None:
    """A collection as it is; None where there is none."""
    return store.snapshot(collection) if collection in store.collections() else None
