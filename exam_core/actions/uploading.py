"""Files that come by the browser: what kind they are, what they would bring, and their import.

Files are written under their own names to folders of their own, read by the same functions as on the command line,
and removed.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from exam_core import errors
from exam_core.actions.committing import ImportResult
from exam_core.actions.import_plans import (
    ImportPlan,
    PlannedFile,
    first_names,
    import_files,
    kind_of,
    preview_files,
    why_unknown,
)
from exam_core.actions.verbs import verb
from exam_core.errors import BadInput, ExamboardError, UsageError
from exam_core.formats.format import Opening
from exam_core.formats.leaderboards import LEADERBOARD
from exam_core.formats.records import first_records
from exam_core.formats.registry import known_kinds, reader
from exam_core.formats.trec_tables import label_columns
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.temporary import filling, temporary_folder
from exam_core.wording import quoted

UPLOAD_MEGABYTES = 50
"""Size of the largest file that is taken by the browser; larger ones go by the command line."""

LONGEST_NAME = 200
_STAGED = "upload"


UPLOAD_KINDS = known_kinds()
"""Kinds of files by the names of the command line's imports: the page takes them all."""


@dataclass(frozen=True)
class Upload:
    """A file from the browser: its name there, and its bytes."""

    name: str
    content: bytes = field(repr=False)


Ordered = Sequence[tuple[Upload, PlannedFile]]
"""Uploads with what they are imported as, whose paths are filled in."""


@dataclass(frozen=True)
class UploadOutline:
    """What is known of an upload by its beginning.

    Parameters
    ----------
    kind : what it looks like; None if it looks like no kind, and empty if it is for people to read
    columns : of a table or JSON, each with its first three values
    why : of what looks like no kind, what it is instead, or what stands in it; begins with a verb
    """

    kind: str | None
    columns: dict[str, list[str]]
    why: str = ""


@verb("edit", has_line=False)
def outline_of_upload(upload: Upload) -> UploadOutline:
    """What an upload looks like."""
    with _staged([upload]) as (path,):
        kind = kind_of(path)
        header, *rows = first_records(Opening(path), {})
        cells = {
            name: [row[index] for row in rows[:3] if index < len(row)] for index, name in enumerate(header) if name
        }
        return UploadOutline(kind, cells if len(cells) > 1 else {}, why_unknown(path) if kind is None else "")


@dataclass(frozen=True)
class UploadChoice:
    """What has to be chosen, or may be, before an uploaded file is read.

    Parameters
    ----------
    columns : what there is to choose from
    needs_column : whether one of them must be chosen
    needs_run : whether the run must be named
    """

    columns: tuple[str, ...] = ()
    needs_column: bool = False
    needs_run: bool = False


@verb("edit", has_line=False)
def undecided_of_upload(upload: Upload, kind: str) -> UploadChoice:
    """What has to be chosen of an upload of a kind that has columns; nothing of a file that can't be read."""
    with _staged([upload]) as (path,):
        if kind != LEADERBOARD.key:
            columns = tuple(label_columns(Opening(path)))
            return UploadChoice(columns, True) if len(columns) > 1 else UploadChoice()
        try:
            columns = reader(kind, path)(path, leaderboard_id="upload").columns
            return UploadChoice(columns if len(columns) > 1 else ())
        except errors.Undecided as error:
            several = len(error.columns) > 1
            return UploadChoice(error.columns if several else (), several, error.needs_run)
        except ExamboardError:
            return UploadChoice()


@verb("edit", has_line=False)
def names_of_uploads(store: Store, collection: str, uploads: Sequence[tuple[Upload, str]]) -> list[str]:
    """The names that uploads have where nobody gives one, each with its kind; empty where a kind needs none."""
    with _staged([upload for upload, _ in uploads]) as paths:
        return first_names(store, collection, [(path, kind) for path, (_, kind) in zip(paths, uploads, strict=True)])


@verb("edit", has_line=False)
def preview_uploads(
    store: Store, collection: str, ordered: Ordered, *, progress: Progress = no_progress
) -> ImportResult:
    """What the import would bring; nothing is stored. A file that can't be imported is in it with the reason.

    Raises BadInput where a file is too large or empty, and UsageError as the import does.
    """
    with _planned(collection, ordered) as plan:
        result = preview_files(store, plan, progress=progress)
    for each in (result, *result.parts):
        each.refused = _without_folder(each.refused)
    return result


@verb("edit")
def import_uploads(
    store: Store,
    collection: str,
    ordered: Ordered,
    *,
    replace: bool = False,
    anyway: bool = False,
    progress: Progress = no_progress,
) -> ImportResult:
    """Import uploads, all of them or none; options and errors as `import_files`."""
    with _planned(collection, ordered) as plan:
        return import_files(store, plan, replace=replace, anyway=anyway, progress=progress)


@contextmanager
def _planned(collection: str, ordered: Ordered) -> Iterator[ImportPlan]:
    """The plan for uploads as files. Raises BadInput where one is too large, UsageError for a strange kind."""
    for upload, order in ordered:
        if len(upload.content) > UPLOAD_MEGABYTES * 2**20:
            raise BadInput(
                f"{plain_file_name(upload.name)}: more than {UPLOAD_MEGABYTES} MB. Import it on the command line: "
                f"examboard import {order.kind} FILE --collection {quoted(collection)}"
            )
        if order.kind not in UPLOAD_KINDS:
            raise UsageError(f"There is no kind of file {order.kind}. There are: {', '.join(UPLOAD_KINDS)}.")
    with _staged([upload for upload, _ in ordered]) as paths:
        files = [
            replace(order, path=path, name=order.name.strip(), run=order.run.strip())
            for path, (_, order) in zip(paths, ordered, strict=True)
        ]
        yield ImportPlan(collection, files)


@contextmanager
def _staged(uploads: Sequence[Upload]) -> Iterator[list[Path]]:
    """Uploads as files under their own names, in folders that are removed; messages speak of the names alone."""
    with temporary_folder(_STAGED) as folder:
        paths = [folder / str(place) / plain_file_name(upload.name) for place, upload in enumerate(uploads)]
        for path, upload in zip(paths, uploads, strict=True):
            with filling():
                path.parent.mkdir()
                path.write_bytes(upload.content)
        try:
            yield paths
        except ExamboardError as error:
            raise type(error)(_without_folder(str(error))) from None


def _without_folder(message: str) -> str:
    return re.sub(rf"{re.escape(tempfile.gettempdir())}/\w+-{_STAGED}-\w+/\d+/", "", message)


@verb("read", has_line=False)
def plain_file_name(name: str) -> str:
    """The last part of a file's name without control characters, short enough for every file system."""
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(character if character.isprintable() else "_" for character in last).strip()
    while len(plain.encode()) > LONGEST_NAME:
        # The end tells the kind of a file, so the middle goes.
        middle = len(plain) // 2
        plain = plain[: middle - 1] + plain[middle + 1 :]
    return plain if plain.strip(".") else "upload"
