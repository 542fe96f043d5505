"""Undoing imports, and cancelling batches at a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.jobs.records import Job
from exam_core.names import listed
from exam_core.store import Store
from exam_core.store.commits import importer


@dataclass(frozen=True)
class Undone:
    """What was taken back, and which imports of the same sources count again (empty if none).

    The id, file and time are those of the newest import; `others` are files of those that were made in one go with it.
    """

    collection: str
    import_id: str
    file: str
    created: str
    again: str
    is_gone: bool
    others: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What happened, for the screen and the command line."""
        files = listed(list(dict.fromkeys([self.file, *self.others])))
        message = f"{self.collection}: the import of {files} at {self.created} ({self.import_id}) is undone."
        if self.again:
            message += f" Data that it replaced count again: {self.again}."
        if self.is_gone:
            message += " Nothing else was in it, so the collection is gone."
        return message


def _named(source: dict[str, Any]) -> str:
    by = f" by {source['by']}" if source.get("by") else ""
    return f"{source.get('id', source['source'])} ({source['file'] or source['source']}{by})"


@verb("edit")
def undo_import(store: Store, collection: str, import_id: str | None = None) -> Undone:
    """Take an import back, by its id in a snapshot's `sources` or how that begins.

    None takes back the newest import of this account, with all that was imported in one go with it.

    Raises UsageError where there is no such collection or import, several imports begin so, or all of them are others'.
    """
    sources = store.snapshot(collection).sources
    if import_id is None:
        # What says nothing of who imported it is from before that was kept.
        records = [source for source in sources if source.get("by") in (importer(), "", None)]
    else:
        records = [source for source in sources if str(source.get("id", "")).startswith(import_id)]
    if not records or (import_id and len(records) > 1):
        listed = ", ".join(_named(source) for source in sources)
        many = "More than one import begins" if records else "No import begins"
        reason = f"{many} with {import_id} in {collection}." if import_id else f"No import of {collection} is yours."
        raise UsageError(f"{reason} There are: {listed}. Name one of them.")
    newest = max(records, key=lambda source: str(source.get("id", "")))
    together = newest.get("together") if import_id is None else ""
    undone = [fields for fields in sources if together and fields.get("together") == together] or [newest]
    return undo_imports(store, collection, [str(record.get("id", "")) for record in undone])


@verb("edit")
def undo_imports(store: Store, collection: str, import_ids: Sequence[str]) -> Undone:
    """Take imports back that were made in one go, the newest first; errors as `undo_import`."""
    known = {str(source.get("id", "")): source for source in store.snapshot(collection).sources}
    newest, *others = sorted(import_ids, reverse=True)
    with store.locked(collection):
        again = [store.undo(collection, import_id) for import_id in (newest, *others)]
    files = [known[name]["file"] or known[name]["source"] for name in (newest, *others) if name in known]
    return Undone(
        collection,
        newest,
        files[0],
        str(known[newest]["created"]),
        ", ".join(f"{fields['file'] or fields['source']}, imported {fields['created']}" for fields in again if fields),
        collection not in store.collections(),
        tuple(files[1:]),
    )


@verb("edit")
def cancel_batches(store: Store, job: Job) -> int:
    """End the batches of a job's model at its server, and say how many; what they answered can still be fetched.

    Raises UsageError where the job makes none, and GraderError where the server does not end them.
    """
    request = job.request
    if request is None or not request.order.options.batch:
        raise UsageError(f"Job {job.id} does not use batches, so there are none to end.")
    task = job.kind.task(store, request)
    task.cache  # noqa: B018  Where the model learns which batches there are.
    return int(task.answerer.cancel())
