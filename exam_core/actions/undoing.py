"""Undo: an import is taken back, and what it had replaced counts again."""

from __future__ import annotations

from dataclasses import dataclass

from exam_core.errors import UsageError
from exam_core.store import Store


@dataclass(frozen=True)
class Undone:
    """What was taken back, and which import of the same source counts again (empty if none)."""

    collection: str
    import_id: str
    file: str
    again: str
    is_gone: bool

    @property
    def sentence(self) -> str:
        """What happened, for the screen and the command line."""
        said = f"{self.collection}: the import of {self.file} is undone."
        if self.again:
            said += f" What it had replaced counts again: {self.again}."
        if self.is_gone:
            said += " It was the only one, so the collection is gone."
        return said


def undo_import(store: Store, collection: str, import_id: str | None = None) -> Undone:
    """Take an import back.

    Parameters
    ----------
    import_id : as `sources` of a snapshot name it, or how it begins; None takes the newest import

    Raises
    ------
    UsageError : no such collection or import, or several imports begin so
    """
    sources = store.snapshot(collection).sources
    found = [source for source in sources if str(source.get("id", "")).startswith(import_id or "")]
    if not found or (import_id and len(found) > 1):
        listed = ", ".join(str(source.get("id", source["source"])) for source in sources)
        many = "More than one import begins" if found else "No import begins"
        raise UsageError(f"{many} with {import_id} in {collection}. There are: {listed}.")
    newest = max(found, key=lambda source: str(source.get("id", "")))
    again = store.undo(collection, str(newest.get("id", "")))
    return Undone(
        collection,
        str(newest.get("id", "")),
        newest["file"] or newest["source"],
        f"{again['file'] or again['source']}, imported {again['created']}" if again else "",
        collection not in store.collections(),
    )
