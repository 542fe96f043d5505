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
from exam_core.grading.modes.known import damaged_modes
from exam_core.jobs.records import damaged_jobs
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.store.answer_cache import forget_damaged
from exam_core.store.append_only import held
from exam_core.store.backup import copy_store
from exam_core.store.checking import Checked, Damage, check, check_layout
from exam_core.store.commits import ABANDONED_AFTER, abandoned_files
from exam_core.store.derived_files import stale_files
from exam_core.store.files import damage, files_below, files_in, write_once
from exam_core.store.layout import FILE, meant, write_layout
from exam_core.store.locking import locked
from exam_core.store.manifests import without_files
from exam_core.store.store import CACHE, JOBS, MODES

ASIDE = ".damaged"
"""Folder of the store for what was set aside, by collection; no collection's folder begins so."""


@dataclass(frozen=True)
class Repaired:
    """What was found damaged, and where what was set aside lies now."""

    checked: list[Checked]
    aside: list[Path]


@verb("edit")
def repair(store: Store, *, progress: Progress = no_progress) -> Repaired:
    """Set aside what is damaged, so that all else can be read again; importing a source again brings it back.

    Damaged files are moved to `.damaged/`, none is removed. An import goes on with what is sound of it. What can't be
    read, because of rights or a disk that fails just now, may be whole and stays where it is.

    Raises StoreError where something can't be moved.
    """
    found = check(store, progress, damaged_jobs(store), damaged_modes(store))
    aside: list[Path] = []
    for checked in found:
        problems = [problem for problem in checked.problems if problem.kind != "unreadable"]
        if not problems:
            continue
        if checked.collection in (CACHE, JOBS, MODES):
            for problem in problems:
                if problem.kind == "answers":
                    forget_damaged(problem.path.parent)
                else:
                    aside.append(_moved(store, problem.path))
        else:
            with store.locked(checked.collection):
                aside += _repair(store, checked.collection, problems)
    return Repaired(found, aside)


@verb("edit")
def repair_layout(place: Path) -> Repaired:
    """Write down anew how a store is laid out, where that file is damaged and it is certain what it said.

    The damaged one is copied to `.damaged/` before; were it moved there and the process killed, the store would be
    taken for one of the first layout.

    Raises StoreError where something can't be written.

    Parameters
    ----------
    place : the store's folder
    """
    with locked(place, FILE):
        found = check_layout(place)
        if not any(problem.kind == "layout" for one in found for problem in one.problems):
            return Repaired(found, [])
        content = (place / FILE).read_bytes()
        aside = _free(place / ASIDE / FILE)
        write_once(aside, content)
        if known := meant(content):
            write_layout(place, known)
    return Repaired(found, [aside])


def _repair(store: Store, collection: str, problems: Sequence[Damage]) -> list[Path]:
    listed: dict[str, list[Damage]] = defaultdict(list)
    lines: dict[Path, list[Damage]] = defaultdict(list)
    aside = []
    for problem in problems:
        if problem.kind == "listed":
            if damage(problem.path):  # its source may have been imported again meanwhile
                listed[problem.import_name].append(problem)
        elif problem.kind in ("line", "gap"):
            lines[problem.path].append(problem)
        elif problem.path.exists():
            aside.append(_moved(store, problem.path))
    for path, own in lines.items():
        _mend(path, own)
    folder = store.folder(collection)
    for name, files in listed.items():
        gone = {problem.path.relative_to(folder).as_posix() for problem in files}
        with suppress(FileNotFoundError):  # somebody else did so meanwhile
            without_files(folder, name, gone)
        # Several imports may list one file.
        aside += [_moved(store, problem.path) for problem in files if problem.path.exists()]
    return aside


def _moved(store: Store, path: Path) -> Path:
    target = _free(store.path / ASIDE / path.relative_to(store.path))
    try:
        move(path, target)
    except OSError as error:
        raise StoreError(f"{path}: can't be set aside ({error.strerror}). Check the rights on the store.") from None
    return target


def _free(target: Path) -> Path:
    """A path at which nothing is: this one, or one with a time behind it."""
    return target.with_name(f"{target.name}.{time.time_ns()}") if target.exists() else target


def _mend(path: Path, problems: Sequence[Damage]) -> None:
    """Write a file of lines anew, blanks in place of damaged ones and where some are missing: no line to any reader."""
    try:
        with held(path, "r+b") as file:
            lines = file.read().split(b"\n")
            for problem in sorted(problems, key=lambda one: -one.line):
                place = problem.line - 1
                lines[place : place + (problem.kind == "line")] = [b" " * max(1, len(lines[place]))]
            write_once(path, b"\n".join(lines))
    except OSError as error:
        raise StoreError(f"{path}: can't be written ({error.strerror}). Check the rights on it.") from None


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
    found = []
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            if status.st_mtime < oldest:
                found.append(Rest(path, status.st_size))
    return found


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
    yield from abandoned_files(folder)
    yield from stale_files(folder, store.snapshot(collection).fingerprint)


def _beside(store: Store) -> Iterator[Path]:
    """The same of answers and jobs."""
    for folder in (store.path / CACHE, store.jobs):
        yield from files_below(folder, ".*.part")
    yield from files_in(store.path / CACHE, "*/leases/*.lease")  # of version 1
