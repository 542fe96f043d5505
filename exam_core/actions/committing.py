"""What every import does at its end: refuse what is nothing, commit, and say what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import fault_of_id
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Committed, Origin
from exam_core.wording import counted


@dataclass
class Imported:
    """What an import did.

    Parameters
    ----------
    changed : False if the collection held all of it already
    healed : files of the store that were damaged or gone, and that this file made whole again
    import_ids : of what is new, to undo it by
    """

    collection: str
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    healed: int = 0
    import_ids: tuple[str, ...] = ()

    @property
    def counted(self) -> str:
        """The counts in words, for instance `1 run, 860 rankings`."""
        return counted(self.counts)


def refuse_blank(option: str, name: str) -> None:
    """Raise UsageError for a name that says nothing, or that nobody could type."""
    if not name.strip():
        raise UsageError(f"{option}: give a name.")
    if fault := fault_of_id(name):
        raise UsageError(f"{option} {visible(name, line_ends=False)[:80]}: the name {fault}. Give another one.")


def file_name(path: Path) -> str:
    """The file's name as it can be stored and shown: a name may hold any bytes."""
    return visible(path.name, line_ends=False)


def refuse_version(bank: str | None) -> None:
    """Raise UsageError for a bank's name that nobody could type, or that names a version."""
    if bank is not None:
        refuse_blank("--bank", bank)
    if bank and "@" in bank:
        raise UsageError(f"Bank name {bank}: leave out what follows the @; versions are numbered by the store.")


def commit_reading(
    store: Store,
    collection: str,
    path: Path,
    reading: Reading,
    *,
    source: str,
    owns: list[tuple[str, str]] | None = None,
) -> Imported:
    """Commit what was read of a file as one import, which replaces the earlier one of the same source.

    Parameters
    ----------
    owns : tables and ids whose rows come from this file alone

    Raises
    ------
    BadInput : it holds nothing, or contradicts what is there
    """
    refuse_nothing(path, reading)
    return commit_origin(store, collection, reading, Origin(source, file_name(path), file_hash(path)), owns or [])


def commit_origin(
    store: Store, collection: str, reading: Reading, origin: Origin, owns: Sequence[tuple[str, str]] = ()
) -> Imported:
    """`commit_reading` of what need not come from a file."""
    there = store.snapshot(collection) if exists(store, collection) else None
    before = there.sources if there else []
    committed = store.commit(
        collection, reading, source=origin.source, file=origin.file, sha256=origin.sha256, owns=owns
    )
    done = Imported(collection, changed=False, counts=reading.counts, notes=list(reading.notes))
    add_commit(done, committed)
    if committed.changed:
        done.notes += [
            f"It replaces what was imported from {old['file']} at {old['created']}."
            for old in before
            if old["source"] == origin.source
        ] or _no_longer_ranked(there, reading, [name for table, name in owns if table == "rankings"])
    return done


def _no_longer_ranked(before: Snapshot | None, reading: Reading, runs: list[str]) -> list[str]:
    """A note on what another import ranked for a file's runs, and the file does not: a run is of its newest one."""
    if before is None or not runs:
        return []
    key = ["run_id", "query_id", "doc_id"]
    known = before.query("SELECT run_id, query_id, doc_id FROM rankings WHERE list_contains(?, run_id)", [runs])
    both = known.astype(str).merge(reading.frames["rankings"][key].astype(str), on=key)
    if not (lost := len(known) - len(both)):
        return []
    return [
        f"{lost:,} rankings of these runs that another import brought are left out: a run is of its newest import "
        "alone. To keep them, put the whole run into one file."
    ]


def add_commit(done: Imported, committed: Committed) -> None:
    """What a commit did, added to what an import tells."""
    done.changed |= committed.changed
    done.healed += committed.healed
    done.import_ids += (committed.import_id,) if committed.changed else ()
    done.notes += committed.notes


def add_notes(done: Imported, notes: Callable[[], list[str]]) -> None:
    """What else is to be said of an import that is done: a damaged file elsewhere must not make it look undone."""
    try:
        done.notes += notes()
    except StoreError as error:
        done.notes += [note for note in str(error).splitlines() if note not in done.notes]


def refuse_nothing(path: Path | str, reading: Reading) -> None:
    """Raise BadInput for a file, or what else is named, without any row."""
    if not any(len(frame) for frame in reading.frames.values()):
        raise nothing_in(path)


def nothing_in(path: Path | str) -> BadInput:
    """That a file holds nothing."""
    right = "it is the right file" if isinstance(path, Path) else "it is what you mean"
    return BadInput(f"{path}: holds nothing to import. Check that {right}. Nothing was stored.")


def exists(store: Store, collection: str) -> bool:
    """Whether there is such a collection."""
    return collection in store.collections()
