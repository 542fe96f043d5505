"""Whether everything in a store is as it was written: each file's hash, each record, each reference."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from exam_core import wings
from exam_core.errors import StoreError
from exam_core.progress import Progress, no_progress
from exam_core.store import answer_cache, catalogue
from exam_core.store.aliases_and_tags import ALIASES, COLUMNS, ORDER, TAGS
from exam_core.store.catalogue import DamagedRecord, RecordKind
from exam_core.store.files import UNREADABLE, damage, files_in, import_again
from exam_core.store.grade_segments import GRADER, SEGMENT
from exam_core.store.manifests import IMPORT, UNDONE, counting
from exam_core.store.sqlite_files import DamagedFileError
from exam_core.store.store import CACHE, JOBS, Store
from exam_core.wording import counted

Kind = Literal["file", "listed", "segment", "record", "catalogue", "answers", "unreadable"]
"""How damage is repaired.

- file, listed, segment, record: set aside. An import lists a `listed` file, a record of grades made here a `segment`.
- catalogue: what can be read of it is saved in a new one.
- answers: deleted, so that they are asked again.
- unreadable: left alone, since it may be whole.
"""


@dataclass(frozen=True)
class Damage:
    """Something in the store that is not as it was written.

    Parameters
    ----------
    problem, consequence, remedy : what is wrong, what that means, and what to do
    kind : how it is repaired
    import_name : of a listed file, the id of the record that lists it; of a segment, its path
    record : of a damaged record, which one
    """

    path: Path
    problem: str
    consequence: str
    remedy: str
    kind: Kind = "file"
    import_name: str = ""
    record: DamagedRecord | None = None

    @property
    def told(self) -> dict[str, str]:
        """The problem in words: file (with its record), problem, consequence and remedy."""
        file = f"{self.path}: {self.record.name}" if self.record else str(self.path)
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


def kinds() -> list[RecordKind[Any]]:
    """Every kind of record of the catalogue."""
    return [IMPORT, UNDONE, SEGMENT, GRADER, ALIASES, TAGS, COLUMNS, ORDER, *wings.declared("record_kinds")]


def check(store: Store, progress: Progress = no_progress, jobs: Iterable[tuple[Path, str]] = ()) -> list[Checked]:
    """Read every file of a store and compare it with its hash; nothing is changed.

    `jobs` are folders of jobs whose progress can't be read, and why. Returns an entry for each collection; one named
    `cache` or `jobs` where answers of models or jobs are damaged; and one without a name for the catalogue, or records
    that belong to no collection.
    """
    if store.is_file:
        raise StoreError(f"{store.path} is a single file, which has no hashes. Check the store that it came from.")
    path = store.path / catalogue.FILE
    try:
        damaged = store.catalogue.damage(kinds())
    except StoreError as error:
        lost = "The store can't be opened, and nothing else in it was looked at."
        kind: Kind = "catalogue" if isinstance(error, DamagedFileError) else "unreadable"
        return [Checked("", [Damage(path, _reason(path, error), lost, catalogue.REMEDY, kind)])]
    records: dict[str, list[Damage]] = {}
    for record in damaged:
        problem = record.problem.removeprefix("is ")
        of_record = Damage(path, problem, record.lost, record.remedy, "record", record=record)
        records.setdefault(record.collection, []).append(of_record)
    names, reports = store.collections(), list[Checked]()
    for step, name in enumerate(names):
        reports.append(Checked(name, [*records.pop(name, []), *_of_files(store, name)]))
        progress((step + 1) / (len(names) + 1))
    if rest := [problem for problems in records.values() for problem in problems]:
        reports.append(Checked("", rest))
    if answers := list(_of_answers(store)):
        reports.append(Checked(CACHE, answers))
    of_job = "How far the job is, is unknown; its answers are kept.", "Set it aside (check --repair)."
    if of_jobs := [Damage(path, what, *of_job, _kind(what, "file")) for path, what in jobs]:
        reports.append(Checked(JOBS, of_jobs))
    progress(1.0)
    return reports


def about_former(store: Store) -> list[str]:
    """A sentence on each folder of an earlier version that nothing reads any more."""
    folders = {store.folder(name) / "notes": "notes on passages" for name in store.collections()}
    folders[store.path / ".drafts"] = "drafts of question banks"
    return [
        f"{path}: {what} of an earlier version. They stay there, and are no longer read."
        for path, what in folders.items()
        if path.is_dir()
    ]


def _of_files(store: Store, collection: str) -> Iterator[Damage]:
    folder = store.folder(collection)
    for name, manifest in counting(dict(sorted(store.catalogue.read(IMPORT, collection).values.items()))).items():
        for stored in manifest.files:
            if what := damage(folder / stored.path):
                yield Damage(
                    folder / stored.path,
                    what,
                    f"{stored.rows:,} rows of the table {stored.table} can't be read, nor anything that needs that "
                    "table.",
                    f"{import_again(manifest.file or manifest.source)}; or go on without these rows (check --repair).",
                    _kind(what, "listed"),
                    name,
                )
    for path in sorted(store.catalogue.read(SEGMENT, collection).values):
        if what := damage(folder / path):
            yield Damage(
                folder / path,
                what,
                "Grades can't be read.",
                "Set it aside (check --repair) and grade again: answers are kept, so that no model is asked.",
                _kind(what, "segment"),
                path,
            )


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


def _kind(what: str, kind: Kind) -> Kind:
    """The kind, or `unreadable` if the problem is that it can't be read now."""
    return "unreadable" if what.startswith(UNREADABLE) else kind


def _reason(path: Path, error: StoreError) -> str:
    """Why a file can't be read, of an error that says so."""
    if isinstance(error.__cause__, OSError):
        return f"{UNREADABLE} ({error.__cause__.strerror})"
    if isinstance(error.__cause__, sqlite3.Error):
        return f"{UNREADABLE} ({error.__cause__})"
    return str(error).splitlines()[0].removeprefix(f"{path}: ").rstrip(".")
