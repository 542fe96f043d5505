"""Whether everything in a store is as it was written: each file's hash, each manifest, each reference."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal

from exam_core import wings
from exam_core.errors import StoreError
from exam_core.progress import Progress, no_progress
from exam_core.store import answer_cache
from exam_core.store.aliases_and_tags import ALIASES, TAGS, alias_in, said_names, tags_in
from exam_core.store.append_only import MISSING, told_below
from exam_core.store.files import A_FOLDER, UNREADABLE, damage, files_in
from exam_core.store.grade_segments import grader_files, grader_in, segment_names
from exam_core.store.layout import FILE, layout_of, meant
from exam_core.store.manifests import Manifest, manifest_names, read_imports
from exam_core.store.store import CACHE, JOBS, MODES, Store
from exam_core.wording import counted

Kind = Literal["file", "manifest", "listed", "line", "gap", "answers", "layout", "unreadable"]
"""What is to be set aside: a file, a record of an import, a file that such a record lists, or a line of a file.

A gap between two lines is only marked, so that it is known from then on. Answers of a model are removed, to be asked
again. The file that says the layout is written
anew. What can't be read now may be whole, and stays."""


UNFINISHED = "without its end"
"""What is wrong with a last line that was interrupted, or whose end is damaged."""


@dataclass(frozen=True)
class Damage:
    """Something in the store that is not as it was written.

    Parameters
    ----------
    path : the file
    problem, consequence, remedy : what is wrong, what that means, and what to do
    kind : how it is repaired
    import_name : of a listed file, the name of the manifest that lists it
    line : of a damaged line, or of one above which lines are missing, its number from 1
    """

    path: Path
    problem: str
    consequence: str
    remedy: str
    kind: Kind = "file"
    import_name: str = ""
    line: int = 0

    @property
    def told(self) -> dict[str, str]:
        """The problem in words: file (with its line), problem, consequence and remedy."""
        file = f"{self.path}:{self.line}" if self.line else str(self.path)
        return {"file": file, "problem": self.problem, "consequence": self.consequence, "remedy": self.remedy}

    @property
    def sentence(self) -> str:
        """The same as one line."""
        return "{file}: {problem}. {consequence} {remedy}".format(**self.told)


@dataclass(frozen=True)
class Checked:
    """What was found in a collection, in the answers of models, which belong to all, or without a name in the store."""

    collection: str
    problems: list[Damage] = field(default_factory=list)


def check_layout(place: Path) -> list[Checked]:
    """Whether the file that says how a store is laid out can be read; nothing if it can.

    Without it the store can't be opened, so nothing else is looked at.
    """
    path = place / FILE
    try:
        layout_of(place)
        return []
    except StoreError:
        pass
    lost = "The store can't be opened, and nothing else in it was looked at."
    try:
        known = None if path.is_dir() else meant(path.read_bytes())
    except OSError as error:
        remedy = "Give yourself the right to read it."
        return [Checked("", [Damage(path, f"{UNREADABLE} ({error.strerror})", lost, remedy, "unreadable")])]
    if known is not None:
        remedy = f"Write it anew (check --repair): it said layout {known}, in all but a few bits."
        return [Checked("", [Damage(path, "damaged", lost, remedy, "layout")])]
    remedy = (
        "Put it back from a copy. Without one, remove it if no later version of Examboard ever wrote to the store: "
        "a store without it is of the first layout. Its content can't be told any more, so check --repair leaves it."
    )
    return [Checked("", [Damage(path, "damaged", lost, remedy, "unreadable")])]


def check(
    store: Store,
    progress: Progress = no_progress,
    jobs: Iterable[tuple[Path, str]] = (),
    modes: Iterable[tuple[Path, str]] = (),
) -> list[Checked]:
    """Read every file of a store and compare it with its hash; nothing is changed.

    Parameters
    ----------
    jobs, modes : records of jobs and files of modes that can't be read, and why

    Returns
    -------
    an entry for each collection, and one named `cache`, `jobs` or `.modes` where answers of models or their batches,
    records of jobs, or modes of one's own are damaged
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single file, which has no hashes. Check the store that it came from.")
    found = []
    names = store.collections()
    for step, name in enumerate(names):
        found.append(Checked(name, list(_problems(store, name))))
        progress((step + 1) / (len(names) + 1))
    if answers := list(_of_answers(store)):
        found.append(Checked(CACHE, answers))
    for name, paths in ((JOBS, jobs), (MODES, modes)):
        if damaged := [Damage(path, what, *_LOST[name], _kind(what, "file")) for path, what in paths]:
            found.append(Checked(name, damaged))
    progress(1.0)
    return found


def about_former(store: Store) -> list[str]:
    """A sentence on each folder of an earlier version that nothing reads any more."""
    folders = {store.folder(name) / "notes": "notes on passages" for name in store.collections()}
    folders[store.path / ".drafts"] = "drafts of question banks"
    return [
        f"{path}: {what} of an earlier version. They stay there, and are no longer read."
        for path, what in folders.items()
        if path.is_dir()
    ]


_LOST = {
    JOBS: (
        "The job's order and progress are unknown; its answers are kept.",
        "Set it aside (check --repair).",
    ),
    MODES: (
        "Jobs can't grade by this mode; grades by it count as before.",
        "Set it aside (check --repair) and add the mode again (mode add FILE). "
        "Where there are grades by it, mode show NAME --collection C prints its file.",
    ),
}
"""What is lost with a record that belongs to no collection, and what to do."""


def _problems(store: Store, collection: str) -> Iterator[Damage]:
    folder = store.folder(collection)
    try:
        names = manifest_names(folder)
    except StoreError as error:
        said, right = "The collection can't be opened.", "Give yourself the right to read it."
        yield Damage(folder, str(error), said, right, "unreadable")
        return
    sound = []
    for name in names:
        try:
            read_imports(folder, [name])
            sound.append(name)
        except StoreError as error:
            yield Damage(
                folder / "imports" / name,
                str(error).splitlines()[0].partition(": ")[2],
                "The collection can't be opened.",
                "Put it back from a copy, or set it aside (check --repair) and import its source again within a day.",
                "unreadable" if isinstance(error.__context__, OSError) else "manifest",
            )
    for name, manifest in read_imports(folder, sound).items():
        yield from _of_import(folder, name, manifest)
    for path in segment_names(folder):
        if what := damage(folder / path):
            yield Damage(
                folder / path,
                what,
                "Grades can't be read.",
                "Set it aside (check --repair) and grade again: answers are kept, so that no model is asked.",
                _kind(what, "file"),
            )
    yield from _of_people(store, collection, folder)


def _of_import(folder: Path, name: str, manifest: Manifest) -> Iterator[Damage]:
    for stored in manifest.files:
        if what := damage(folder / stored.path):
            source = manifest.file or manifest.source
            yield Damage(
                folder / stored.path,
                what,
                f"{stored.rows:,} rows of the table {stored.table} can't be read, nor anything that needs that table.",
                f"Import {source} again; or go on without these rows (check --repair).",
                _kind(what, "listed"),
                name,
            )


def _of_people(store: Store, collection: str, folder: Path) -> Iterator[Damage]:
    """What graders are, what people say and what they keep: JSON with a seal or a hash, a file or a line each."""
    kinds: list[tuple[list[Path], Callable[[Path], Any], str]] = [
        (grader_files(folder), grader_in, "The grades of this grader are left out."),
        ([folder / ALIASES / name for name in said_names(folder, ALIASES)], alias_in, "A name of a grader is lost."),
        ([folder / TAGS / name for name in said_names(folder, TAGS)], tags_in, "The tags from before it are shown."),
        *((files(store, collection), read, lost) for files, read, lost in wings.declared("store", "RECORDS")),
    ]
    for paths, read, lost in kinds:
        for path in paths:
            if what := _unread(path, read):
                yield Damage(path, what, lost, _ASIDE, _kind(what, "file"))
    of_lines: list[tuple[list[Path], Any, str]] = [
        (files(store, collection), kind, lost) for files, kind, lost in wings.declared("store", "LINES")
    ]
    for paths, kind, lost in of_lines:
        yield from _of_lines(paths, kind, lost)


_ASIDE = "Put it back from a copy, or set it aside (check --repair)."
UNCOUNTED = "A review is not counted; or none was lost, if its writing was interrupted there."


def _of_lines(paths: Iterable[Path], kind: Any, lost: str) -> Iterator[Damage]:
    for path in paths:
        for number, what in _broken_lines(path, kind):
            yield of_line(path, number, what, lost)


def of_line(path: Path, number: int, what: str, lost: str = UNCOUNTED) -> Damage:
    """What is wrong with a line of a file; with all of it where the number is 0."""
    if what == A_FOLDER:
        return Damage(path, what, lost, _ASIDE)
    if what == MISSING:
        lost = "The content of the missing lines is lost."
        remedy = "Put the file back from a copy, or mark the gap to go on without them (check --repair)."
        return Damage(path, what, lost, remedy, "gap", line=number)
    remedy = "Put the file back from a copy, or blank the line (check --repair)."
    return Damage(path, what, lost, remedy, _kind(what, "line"), line=number)


def _of_answers(store: Store) -> Iterator[Damage]:
    lost = "Jobs with this model don't start."
    for path in files_in(store.path / CACHE, f"*/{answer_cache.FILE}"):
        with closing(answer_cache.answer_file(path.parent)) as file:
            try:
                what = "damaged" if file.faults() else ""
                changed = [] if what else answer_cache.damaged_answers(file)
            except StoreError as error:
                what, changed = _reason(path, error), []
        if what:
            yield Damage(path, what, lost, answer_cache.REMEDY, _kind(what, "file"))
        if changed:
            count = counted({"answers are": len(changed)})
            remedy = "Remove them (check --repair)."
            yield Damage(path, f"{count} not what was written", "They are asked again.", remedy, "answers")
    for path in (path for folder in files_in(store.path / CACHE, "*") for path in answer_cache.segments_in(folder)):
        if what := damage(path):
            yield Damage(path, what, lost, answer_cache.REMEDY, _kind(what, "file"))
    for pattern, read, lost, remedy in wings.declared("store", "BESIDE_ANSWERS"):
        for path in files_in(store.path / CACHE, pattern):
            if what := _unread(path, read):
                yield Damage(path, what, lost, remedy, _kind(what, "file"))


def _broken_lines(path: Path, kind: Any) -> Iterator[tuple[int, str]]:
    """Numbers of the lines that are not what was written, or where, and of a last one that nobody goes on writing."""
    try:
        with path.open("rb") as file:
            is_written = _is_written(file)
            for line, _ in told_below(file, kind):
                fault = line.fault if line.whole else UNFINISHED if line.content.strip() and not is_written else ""
                if fault:
                    yield line.number, fault
    except FileNotFoundError:
        return
    except IsADirectoryError:
        yield 0, A_FOLDER
    except OSError as error:
        yield 0, f"{UNREADABLE} ({error.strerror})"


def _is_written(file: BinaryIO) -> bool:
    """Whether somebody is writing to a file; if not, nobody is until it is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _kind(what: str, kind: Kind) -> Kind:
    """How something is repaired of which that is wrong: what can't be read now may be whole, and stays."""
    return "unreadable" if what.startswith(UNREADABLE) else kind


def _unread(path: Path, read: Callable[[Path], Any]) -> str:
    """Why a record can't be read; empty if it can, or is gone by now."""
    try:
        read(path)
    except FileNotFoundError:
        return ""
    except StoreError as error:
        return _reason(path, error)
    return ""


def _reason(path: Path, error: StoreError) -> str:
    """Why a file can't be read, of an error that says so."""
    if isinstance(error.__cause__, OSError):
        return f"{UNREADABLE} ({error.__cause__.strerror})"
    if isinstance(error.__cause__, sqlite3.Error):
        return f"{UNREADABLE} ({error.__cause__})"
    return str(error).splitlines()[0].removeprefix(f"{path}: ").rstrip(".")
