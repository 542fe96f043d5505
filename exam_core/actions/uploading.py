"""Files that come by the browser: what kind they are, what they would bring, and their import.

A file is written under its own name to a folder of its own, read by the same functions as on the command line,
and removed. A preview is a rehearsal: the import is done for a copy of the collection that is thrown away.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pandas as pd

from exam_core import errors
from exam_core.actions import PLACES
from exam_core.actions.committing import Imported
from exam_core.actions.importing import ReadAs
from exam_core.errors import BadInput, ExamboardError, UsageError
from exam_core.formats import Reading
from exam_core.formats.registry import known_kinds, reader
from exam_core.formats.sniffing import guess_kind, naming_the_kind
from exam_core.progress import Progress, no_progress
from exam_core.store import Snapshot, Store
from exam_core.store.commits import Prepared
from exam_core.store.files import folder_name
from exam_core.store.summary import graded_banks, query_ids
from exam_core.tables import OVERALL

UPLOAD_MEGABYTES = 50
"""Size of the largest file that is taken by the browser; larger ones go by the command line."""

FIRST_ROWS = 8
LISTED = 5
LONGEST_NAME = 200


UPLOAD_KINDS = known_kinds()
"""Kinds of files by the names of the command line's imports: the page takes them all."""


@dataclass(frozen=True)
class Upload:
    """A file from the browser: its name there, and its bytes."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class UploadOrder:
    """What is to be imported as what, and where to.

    Parameters
    ----------
    name : of the judgments, grading mode, bank, leaderboard or run; empty where the kind needs none
    replace : whether a run may go whose name a run of the file has
    scale : of labels, for instance `0-3`; empty where nobody declares it
    column : of a leaderboard's file, that is read as the score; empty takes what is usual
    run : whose values such a file holds; empty where it says so itself
    """

    kind: str
    collection: str
    name: str = ""
    replace: bool = False
    scale: str = ""
    column: str = ""
    run: str = ""


@dataclass(frozen=True)
class Preview:
    """What an import would do.

    Parameters
    ----------
    is_new : whether the collection would be made
    changed : False if the collection holds all of it already
    counts : what the file holds
    notes : what the import would say besides
    replaced : sentences on what it would take the place of
    fit : sentences on how the file's queries, passages and runs match the collection
    rows : the first rows of the file's main table
    """

    order: UploadOrder
    is_new: bool
    changed: bool
    counts: dict[str, int]
    notes: list[str]
    replaced: list[str]
    fit: list[str]
    rows: pd.DataFrame


def kind_of_upload(upload: Upload) -> str | None:
    """The kind that an upload looks like; None if it looks like none."""
    with staged(upload) as path:
        return guess_kind(path)


@dataclass(frozen=True)
class Undecided:
    """What has to be chosen, or may be, before an uploaded leaderboard is read.

    Parameters
    ----------
    columns : what there is to choose from
    needs_column : whether one of them must be chosen
    needs_run : whether the run must be named
    """

    columns: tuple[str, ...] = ()
    needs_column: bool = False
    needs_run: bool = False


def undecided_of_upload(upload: Upload) -> Undecided:
    """What has to be chosen of an uploaded leaderboard; nothing of a file that can't be read."""
    with staged(upload) as path:
        try:
            columns = reader("leaderboard", path)(path, leaderboard_id="upload").columns
            return Undecided(columns if len(columns) > 1 else ())
        except errors.Undecided as error:
            several = len(error.columns) > 1
            return Undecided(error.columns if several else (), several, error.needs_run)
        except ExamboardError:
            return Undecided()


def graded_bank_of_upload(store: Store, upload: Upload, collection: str) -> str | None:
    """The collection's graded bank whose questions are those of an uploaded bank; None if there is none.

    A graded file brings the ids of its questions only: their texts come with their bank, under the same name.
    """
    if collection not in store.collections():
        return None
    snapshot = store.snapshot(collection)
    with staged(upload) as path, suppress(ExamboardError):
        theirs = set(reader("bank", path)(path, bank_id="upload").frames["questions"]["question_id"])
        for bank in dict.fromkeys(bank for banks in graded_banks(snapshot).values() for bank in banks if bank):
            asked = "SELECT DISTINCT question_id FROM questions WHERE bank_id = ?"
            if theirs and theirs <= set(snapshot.query(asked, [bank])["question_id"]):
                return bank
    return None


def preview_upload(store: Store, upload: Upload, order: UploadOrder, *, progress: Progress = no_progress) -> Preview:
    """What the import would bring; nothing is stored.

    Raises
    ------
    BadInput : as the import
    UsageError : as the import
    """
    _refuse(store, upload, order)
    with staged(upload) as path, tempfile.TemporaryDirectory(prefix="examboard-rehearsal-") as folder:
        is_new = order.collection not in store.collections()
        before = None if is_new else store.snapshot(order.collection)
        with closing(_Rehearsal(Path(folder), also=[store.path])) as rehearsal:
            if not is_new:
                _link(store.path / folder_name(order.collection), Path(folder) / folder_name(order.collection))
            done = _import(rehearsal, path, replace(order, replace=True), progress)
            frames = rehearsal.frames()
    return Preview(
        order,
        is_new,
        done.changed,
        done.counts,
        [note for note in done.notes if note not in done.replaced],
        done.replaced,
        _fit(frames, order, before) if before else [],
        _first_rows(frames, order.kind),
    )


def import_upload(store: Store, upload: Upload, order: UploadOrder, *, progress: Progress = no_progress) -> Imported:
    """Import an upload, whole or not at all.

    Raises
    ------
    BadInput : as the import
    UsageError : as the import
    """
    _refuse(store, upload, order)
    with staged(upload) as path:
        return _import(store, path, order, progress)


@contextmanager
def staged(upload: Upload) -> Iterator[Path]:
    """The upload as a file under its own name, in a folder that is removed; messages speak of the name alone."""
    with tempfile.TemporaryDirectory(prefix="examboard-upload-") as folder:
        path = Path(folder) / plain_file_name(upload.name)
        path.write_bytes(upload.content)
        try:
            yield path
        except ExamboardError as error:
            raise type(error)(str(error).replace(f"{folder}/", "")) from None


def plain_file_name(name: str) -> str:
    """The last part of a file's name without control characters, short enough for every file system."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(character if character.isprintable() else "_" for character in last).strip()
    while len(plain.encode()) > LONGEST_NAME:
        # The end tells the kind of a file, so the middle goes.
        middle = len(plain) // 2
        plain = plain[: middle - 1] + plain[middle + 1 :]
    return plain if plain.strip(".") else "upload"


def _refuse(store: Store, upload: Upload, order: UploadOrder) -> None:
    if store.is_file:
        raise UsageError(f"{store.path} is a single-file store and read only. Open a folder to import into.")
    if not upload.content:
        raise BadInput(f"{plain_file_name(upload.name)}: the file is empty. Nothing was stored.")
    if len(upload.content) > UPLOAD_MEGABYTES * 2**20:
        raise BadInput(
            f"{plain_file_name(upload.name)}: more than {UPLOAD_MEGABYTES} MB. Import it on the command line: "
            f"python -m exam_core import {order.kind} FILE --collection {order.collection}"
        )
    if order.kind not in UPLOAD_KINDS:
        raise UsageError(f"There is no kind of file {order.kind}. There are: {', '.join(UPLOAD_KINDS)}.")


def _import(store: Store, path: Path, order: UploadOrder, progress: Progress) -> Imported:
    kind = UPLOAD_KINDS[order.kind]
    if kind.needed and not order.name.strip():
        raise UsageError(f"{kind.name}: give one.")
    options: dict[str, Any] = {kind.option: order.name.strip()} if kind.option and order.name.strip() else {}
    if kind.replaces:
        options["replace"] = order.replace
    if kind.scaled:
        options["scale"] = order.scale
    if kind.columned:
        options["read_as"] = ReadAs(order.column or None, order.run.strip() or None)
    with naming_the_kind(order.kind, path):
        return import_of(order.kind)(store, order.collection.strip(), path, progress=progress, **options)


def import_of(kind: str) -> Callable[..., Imported]:
    """The verb that takes files of a kind: `import_run` takes a `run`."""
    verb = f"import_{kind}"
    return cast(Callable[..., Imported], getattr(import_module(f"{__package__}.{PLACES[verb]}"), verb))


class _Rehearsal(Store):
    """A store that remembers what is imported into it."""

    def __init__(self, path: Path, *, also: Sequence[Path]) -> None:
        super().__init__(path, also=also)
        self._readings: list[Reading] = []

    def prepare(self, collection: str, readings: Any, *arguments: Any, **options: Any) -> Prepared:
        """As `Store.prepare`."""

        def noted() -> Iterator[Reading]:
            for reading in [readings] if isinstance(readings, Reading) else readings:
                self._readings.append(reading)
                yield reading

        return super().prepare(collection, noted(), *arguments, **options)

    def frames(self) -> dict[str, pd.DataFrame]:
        """All that was imported, by table."""
        parts: dict[str, list[pd.DataFrame]] = {}
        for reading in self._readings:
            for table, frame in reading.frames.items():
                parts.setdefault(table, []).append(frame)
        return {table: pd.concat(frames, ignore_index=True) for table, frames in parts.items()}


def _link(source: Path, target: Path) -> None:
    """A collection's files at another place, without copying what can be large."""
    for path in source.rglob("*"):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                place.symlink_to(path.resolve())
            except OSError:
                shutil.copy2(path, place)


def _first_rows(frames: dict[str, pd.DataFrame], kind: str) -> pd.DataFrame:
    frame = frames.get(UPLOAD_KINDS[kind].main)
    if frame is None or not len(frame):
        frame = next((part for part in frames.values() if len(part)), pd.DataFrame())
    first = frame.head(FIRST_ROWS)
    return first.drop(columns=["extra", "text_hash", "cut"], errors="ignore").dropna(axis="columns", how="all")


def _fit(frames: dict[str, pd.DataFrame], order: UploadOrder, before: Snapshot) -> list[str]:
    """How the file's queries and passages match what the collection has."""
    found = _fit_of_queries(frames, order, before)
    if order.kind == "run" and "rankings" in frames:
        found += _fit_of_run(frames["rankings"], before)
    if order.kind == "leaderboard" and "leaderboards" in frames:
        found += _fit_of_systems(frames["leaderboards"], before)
    return found


def _fit_of_queries(frames: dict[str, pd.DataFrame], order: UploadOrder, before: Snapshot) -> list[str]:
    main = frames.get(UPLOAD_KINDS[order.kind].main)
    known = set(query_ids(before))
    if main is None or "query_id" not in main or not known:
        return []
    theirs = list(dict.fromkeys(main["query_id"].dropna()))
    strangers = [name for name in theirs if name not in known]
    absent = sorted(known - set(theirs))
    found = []
    if strangers:
        verb = "is" if len(strangers) == 1 else "are"
        found.append(
            f"{len(strangers):,} of the file's {len(theirs):,} queries {verb} not in {order.collection}: "
            f"{_listed(strangers)}."
        )
    if absent:
        found.append(
            f"The file has nothing for {len(absent):,} of the {len(known):,} queries of {order.collection}: "
            f"{_listed(absent)}."
        )
    return found or [f"Its {len(theirs):,} queries are those of {order.collection}."]


_TOP = 20


def _fit_of_run(rankings: pd.DataFrame, before: Snapshot) -> list[str]:
    """How many of a run's first passages are graded: the others will be holes."""
    graded = before.query("SELECT DISTINCT query_id, doc_id FROM grades")
    if not len(graded):
        return []
    first = rankings[rankings["rank"] <= _TOP]
    found = first[["query_id", "doc_id"]].astype(object).merge(graded.astype(object), on=["query_id", "doc_id"])
    missing = len(first) - len(found)
    if not missing:
        return [f"All passages of its first {_TOP} places are graded."]
    return [
        f"{missing:,} of the {len(first):,} passages in its first {_TOP} places have no grade; they are holes, "
        "and count as answering nothing."
    ]


def _fit_of_systems(board: pd.DataFrame, before: Snapshot) -> list[str]:
    runs = set(before.query("SELECT DISTINCT run_id FROM rankings")["run_id"])
    systems = set(board["run_id"]) - {OVERALL}
    return [f"{len(systems & runs):,} of its {len(systems):,} systems are runs of the collection."] if runs else []


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
