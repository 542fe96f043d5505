"""What an import takes the place of: said before it happens, or refused until somebody says that it is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from exam_core.analysis.evaluation.caveats import listed
from exam_core.errors import SHOWN, BadInput, StoreError, visible
from exam_core.formats import Reading
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot
from exam_core.store.commits import Origin
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
    "rankings": "It has none of the stored queries. If it is a part of the same run, import all parts in one command, "
    "or put them into one file.",
    **dict.fromkeys(
        ("judgments", "grades"), "It has none of the stored queries. If these belong together, put them into one file."
    ),
}


@dataclass(frozen=True)
class Bringing:
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
        return f"{name}, {counted({rows: self.lost.there})} (gone or changed: {self.lost.lost:,})"


def replaced(snapshot: Snapshot, brought: Sequence[Bringing], progress: Progress = no_progress) -> list[Replaced]:
    """What imports would take away or change of the ids that they own; equal rows are not replaced.

    What can't be read, because a file is damaged, is left out: it is healed by the file that it came from.
    """
    newest = _owners(snapshot)
    # What an earlier import of the same source brought goes with it, also where this one does not have it.
    sources = {one.origin.source for one in brought}
    gone = [own for own, source in newest.items() if source["source"] in sources]
    ids = dict.fromkeys([*(tuple(own) for one in brought for own in one.owns), *gone])
    found, readings = [], [one.reading for one in brought]
    for table in dict.fromkeys(table for table, _ in ids if table in _CALLED):
        names = [name for own_table, name in ids if own_table == table]
        try:
            lost = lost_rows(snapshot, table, names, readings, with_texts=True, progress=progress)
        except StoreError:
            continue
        found += [Replaced(one, _source(snapshot, newest, one)) for one in lost if one.lost]
    return found


def _owners(snapshot: Snapshot) -> dict[tuple[str, str], dict[str, Any]]:
    """The import that owns an id, by table and id."""
    return {(table, name): source for source in snapshot.sources for table, name in source.get("owns", ())}


def left_out(snapshot: Snapshot, brought: Sequence[Bringing]) -> list[str]:
    """A sentence on rows that imports bring and that do not count, for each import that owns their ids already.

    Rows that are there, too, are not left out.
    """
    owners, of = _owners(snapshot), dict[str, list[str]]()
    sources = {one.origin.source for one in brought}
    for table, column in ((table, ID_COLUMN[table]) for table in _CALLED):
        names = [name for (own, name), owner in owners.items() if own == table and owner["source"] not in sources]
        readings = [one.reading for one in brought if names and table not in dict(one.owns)]
        parts = (part for reading in readings for part in reading.parts(table))
        brings = Counter(name for part in parts for name in part[column][part[column].isin(names)])
        try:
            for lost in lost_rows(snapshot, table, list(brings), readings):
                others = brings[lost.name] - (lost.there - lost.lost)
                if others:
                    what, rows = (word.format(lost.name) for word in _CALLED[table])
                    rows = counted({rows: brings[lost.name]})
                    said = f"{what}, {rows} (missing or different in the collection: {others:,})"
                    of.setdefault(owners[table, lost.name]["id"], []).append(said)
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


def sentences(found: Sequence[Replaced]) -> list[str]:
    """What imports replaced, a sentence for each file that it came from."""
    of: dict[str, list[str]] = {}
    for one in found:
        of.setdefault(one.source, []).append(one.what)
    return [f"It replaces what was imported from {source}: {listed(whats)}." for source, whats in of.items()]


def refuse_replacing(found: Sequence[Replaced], files: str, collection: str, remedy: str) -> None:
    """Raise BadInput for runs, or judgments or labels of other queries, that would be replaced though nobody said so.

    Parameters
    ----------
    files : what is imported
    remedy : how to say so, and what to do instead
    """
    gone = [one for one in found if one.lost.table == "rankings" or one.lost.apart]
    if not gone:
        return
    table = gone[0].lost.table
    what = {"rankings": "runs", "grades": "labels"}.get(table, table)
    lines = [f"{files}: {collection} has {what} of the same name already, which would be replaced."]
    lines += [f"  {one.what}, imported from {one.source}" for one in gone[:SHOWN]]
    if len(gone) > SHOWN:
        lines.append(f"  ... and {len(gone) - SHOWN:,} more")
    if all(one.lost.apart for one in gone):
        lines.append(_PARTS[table])
    raise BadInput("\n".join([*lines, f"{remedy} Nothing was stored."]))


def superseded(snapshot: Snapshot, sources: Collection[str]) -> list[str]:
    """Sentences on earlier imports of the same sources, which are superseded as a whole."""
    return [
        f"It replaces what was imported from {_named(old)}: {counted(old['counts'])}."
        for old in snapshot.sources
        if old["source"] in sources
    ]


def reworded(snapshot: Snapshot, brought: Sequence[Bringing]) -> list[str]:
    """A sentence on queries that have another text from now on: the newest import that knows one is believed."""
    try:
        changed = other_texts(snapshot, [one.reading for one in brought])
    except StoreError:
        return []
    if not changed:
        return []
    first = visible(changed[0], line_ends=False)
    return [f"{counted({'queries': len(changed)})} had another text before, the first is {first}: the new one counts."]
