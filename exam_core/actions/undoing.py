"""Undo: an import is taken back, and what it had replaced counts again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exam_core.errors import UsageError
from exam_core.store import Store
from exam_core.store.commits import importer


@dataclass(frozen=True)
class Undone:
    """What was taken back, and which import of the same source counts again (empty if none)."""

    collection: str
    import_id: str
    file: str
    created: str
    again: str
    is_gone: bool

    @property
    def sentence(self) -> str:
        """What happened, for the screen and the command line."""
        said = f"{self.collection}: the import of {self.file} at {self.created} ({self.import_id}) is undone."
        if self.again:
            said += f" What it had replaced counts again: {self.again}."
        if self.is_gone:
            said += " It was the only one, so the collection is gone."
        return said


def _named(source: dict[str, Any]) -> str:
    by = f" by {source['by']}" if source.get("by") else ""
    return f"{source.get('id', source['source'])} ({source['file'] or source['source']}{by})"


def undo_import(store: Store, collection: str, import_id: str | None = None) -> Undone:
    """Take an import back.

    Parameters
    ----------
    import_id : as `sources` of a snapshot name it, or how it begins; None takes the newest import of this account

    Raises
    ------
    UsageError : no such collection or import, several imports begin so, or all of them are others'
    """
    sources = store.snapshot(collection).sources
    if import_id is None:
        # What says nothing of who imported it is from before that was kept.
        found = [source for source in sources if source.get("by") in (importer(), "", None)]
    else:
        found = [source for source in sources if str(source.get("id", "")).startswith(import_id)]
    if not found or (import_id and len(found) > 1):
        listed = ", ".join(_named(source) for source in sources)
        many = "More than one import begins" if found else "No import begins"
        said = f"{many} with {import_id} in {collection}." if import_id else f"No import of {collection} is yours."
        raise UsageError(f"{said} There are: {listed}. Name the one that is meant.")
    newest = max(found, key=lambda source: str(source.get("id", "")))
    again = store.undo(collection, str(newest.get("id", "")))
    return Undone(
        collection,
        str(newest.get("id", "")),
        newest["file"] or newest["source"],
        str(newest["created"]),
        f"{again['file'] or again['source']}, imported {again['created']}" if again else "",
        collection not in store.collections(),
    )
