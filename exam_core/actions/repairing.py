"""Setting aside what is damaged, removing what nobody lists, copying all: a store is whole, and nothing is lost."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from exam_core.actions.verbs import verb
from exam_core.errors import StoreError
from exam_core.flushing import move
from exam_core.jobs.records import damaged_jobs
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.store.answer_cache import forget_damaged
from exam_core.store.catalogue import DAMAGED
from exam_core.store.checking import Checked, Damage, check
from exam_core.store.commits import ABANDONED_AFTER, abandoned_files
from exam_core.store.derived_files import stale_files
from exam_core.store.files import damage, files_below, files_in, free_path
from exam_core.store.grade_segments import SEGMENT
from exam_core.store.manifests import without_files
from exam_core.store.sharing import copy_store
from exam_core.store.store import CACHE


@dataclass(frozen=True)
class Repaired:
    """What was found damaged, and where what was set aside lies now."""

    checked: list[Checked]
    moved: list[Path]


@verb("edit")
def repair(store: Store, *, progress: Progress = no_progress) -> Repaired:
    """Set aside what is damaged, so that all else can be read again; importing a source again brings it back.

    Damaged files are moved to `.damaged/`, none is removed. An import goes on with what is sound of it. What can't be
    read, because of rights or a disk that fails just now, may be whole and stays where it is.

    Raises StoreError where something can't be moved.
    """
    reports = check(store, progress, damaged_jobs(store))
    problems = [problem for checked in reports for problem in checked.problems]
    if [problem.kind for problem in problems] == ["catalogue"]:
        # What is left of the catalogue is looked at, too.
        saved = store.catalogue.rebuild()
        if saved is None:
            return Repaired(reports, [])
        rest = repair(Store(store.path))
        return Repaired([*reports, *rest.checked], [saved, *rest.moved])
    paths: list[Path] = []
    for checked in reports:
        if listed := [problem for problem in checked.problems if problem.kind in ("listed", "segment")]:
            paths += _repair(store, checked.collection, listed)
    for problem in problems:
        if problem.kind == "answers":
            forget_damaged(problem.path.parent)
        elif problem.kind == "file":
            paths.append(_moved(store, problem.path))
    if records := [problem.record for problem in problems if problem.record]:
        paths += store.catalogue.set_aside(records)
    return Repaired(reports, paths)


def _repair(store: Store, collection: str, problems: Sequence[Damage]) -> list[Path]:
    """Let imports and grades go on without their damaged files; where those lie now."""
    listed: dict[str, list[Damage]] = defaultdict(list)
    folder = store.folder(collection)
    with store.locked(collection):
        for problem in problems:
            if damage(problem.path):  # its source may have been imported again meanwhile
                listed[problem.import_name].append(problem)
        for name, files in listed.items():
            if files[0].kind == "segment":
                store.catalogue.remove(SEGMENT, name, collection)
            else:
                gone = {problem.path.relative_to(folder).as_posix() for problem in files}
                without_files(store.catalogue, collection, name, gone)
    with store.locked(collection):  # once nobody lists them
        paths = dict.fromkeys(problem.path for files in listed.values() for problem in files)
        return [_moved(store, path) for path in paths if path.exists() and damage(path)]


def _moved(store: Store, path: Path) -> Path:
    target = free_path(store.path / DAMAGED / path.relative_to(store.path))
    try:
        move(path, target)
    except OSError as error:
        raise StoreError(f"{path}: can't be set aside ({error.strerror}). Check the rights on the store.") from None
    return target


@verb("read", has_line=False)
def back_up(store: Store, folder: Path, *, progress: Progress = no_progress) -> int:
    """Copy the store; arguments, result and errors as `copy_store`."""
    return copy_store(store, folder, progress)


@dataclass(frozen=True)
class Rest:
    """A file that nobody lists, older than a day: what a killed process or an undone import left."""

    path: Path
    bytes: int


@verb("read", has_line=False)
def rests(store: Store) -> list[Rest]:
    """What `clean` would remove.

    Raises StoreError where a record of an import is damaged, so that what it lists is not known.
    """
    return _old(chain(*(_unlisted(store, name) for name in _collections(store)), _beside(store)))


@verb("edit")
def clean(store: Store) -> list[Rest]:
    """Remove what nobody lists and nobody wrote to for a day; returns what was removed. Errors as `rests`."""
    removed = []
    for name in _collections(store):
        with store.locked(name):  # an import may take up again what a killed one left
            removed += _removed(_unlisted(store, name))
    return removed + _removed(_beside(store))


def _old(paths: Iterable[Path]) -> list[Rest]:
    """Those of the files that nobody wrote to for a day."""
    oldest = time.time() - ABANDONED_AFTER
    rests = []
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            if status.st_mtime < oldest:
                rests.append(Rest(path, status.st_size))
    return rests


def _removed(paths: Iterable[Path]) -> list[Rest]:
    removed = []
    for rest in _old(paths):
        with suppress(OSError):  # another process may be as fast
            rest.path.unlink()
            removed.append(rest)
    return removed


def _collections(store: Store) -> list[str]:
    if store.is_file:
        raise StoreError(f"{store.path} is a single file and read only; there is nothing to clean.")
    return store.collections()


def _unlisted(store: Store, collection: str) -> Iterator[Path]:
    folder = store.folder(collection)
    yield from abandoned_files(store.catalogue, collection, folder)
    yield from stale_files(folder, store.snapshot(collection).fingerprint)


def _beside(store: Store) -> Iterator[Path]:
    """The same of the catalogue, answers and jobs."""
    yield from files_in(store.path, ".*.part")
    for folder in (store.path / CACHE, store.jobs):
        yield from files_below(folder, ".*.part")
    yield from files_in(store.path / CACHE, "*/leases/*.lease")  # of version 1
