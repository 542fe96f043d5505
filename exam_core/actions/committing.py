"""What every import does at its end: refuse what is nothing, commit, and say what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from exam_core.actions.id_overlap import contradicting, strangers
from exam_core.actions.replacing import (
    Bringing,
    Replaced,
    left_out,
    refuse_replacing,
    replaced,
    reworded,
    sentences,
    superseded,
)
from exam_core.errors import BadInput, StoreError, UsageError, visible
from exam_core.formats import Reading
from exam_core.formats.file_names import file_name
from exam_core.formats.lines import file_hash
from exam_core.formats.reading import fault_of_id
from exam_core.grading.modes.grader_name_rules import refuse_grader
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Committed, Origin
from exam_core.wording import counted

READ = 0.6
"""Share of the time of an import in which files are read; then what they bring is compared."""


@dataclass
class Imported:
    """What an import did.

    Parameters
    ----------
    changed : False if the collection held all of it already
    healed : files of the store that were damaged or gone, and that this file made whole again
    import_ids : of what is new, to undo it by
    replaced : sentences on what it took the place of; they are notes, too
    """

    collection: str
    changed: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    healed: int = 0
    import_ids: tuple[str, ...] = ()
    replaced: list[str] = field(default_factory=list)

    @property
    def counted(self) -> str:
        """The counts in words, for instance `1 run, 860 ranked passages`."""
        return counted(self.counts)


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


def brought_by(path: Path, reading: Reading, origin: Origin, owns: Sequence[tuple[str, str]] = ()) -> Bringing:
    """What a file brings; raises BadInput where it holds nothing.

    Parameters
    ----------
    origin : whose source is known; file and hash are filled in
    owns : tables and ids whose rows come from this file alone
    """
    refuse_nothing(path, reading)
    origin = replace(origin, file=file_name(path), sha256=origin.sha256 or file_hash(path))
    return Bringing(reading, origin, owns)


def commit_all(
    store: Store,
    collection: str,
    brought: Sequence[Bringing],
    remedy: str | None = None,
    *,
    about: Reading | None = None,
    progress: Progress = no_progress,
) -> Imported:
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

    def look(seen: Snapshot | None) -> list[Replaced]:
        found = replaced(seen, brought, progress) if seen else []
        if remedy is not None:
            files = ", ".join(dict.fromkeys(one.origin.file for one in brought))
            refuse_replacing(found, files, collection, remedy)
        return found

    done = Imported(collection, changed=False)
    for reading in [about] if about else [one.reading for one in brought]:
        done.counts |= reading.counts
        done.notes += reading.notes
    for bringing in brought:
        for grader, described in bringing.reading.graders.items():
            refuse_grader(grader, described)
    before = known(store, collection)
    found = look(before)
    prepared = [store.prepare(collection, one.reading, one.origin, owns=one.owns) for one in brought]
    with store.locked(collection):
        if (now := known(store, collection)) != before:
            before, found = now, look(now)
        committed = store.commit_together(prepared)
    for one in committed:
        add_commit(done, one)
    if done.changed:
        done.notes += contradicting(brought)
    if done.changed and before:
        new = {one.origin.source for one, its in zip(brought, committed, strict=True) if its.changed}
        said = sentences(found) or superseded(before, new)
        say_replaced(done, [*said, *reworded(before, brought)])
        done.notes += left_out(before, brought)
        add_notes(done, lambda: strangers(before, brought, [its.import_id for its in committed]))
    return done


def say_replaced(done: Imported, sentences: list[str]) -> None:
    """Add what an import took the place of to what it tells."""
    done.replaced += sentences
    done.notes += sentences


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
