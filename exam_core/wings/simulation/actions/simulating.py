"""Simulated collections put into a store."""

from __future__ import annotations

from exam_core.actions.committing import Imported
from exam_core.actions.verbs import verb
from exam_core.errors import UsageError
from exam_core.progress import Progress, no_progress
from exam_core.store import Store
from exam_core.wings.simulation.collection import simulated_parts
from exam_core.wings.simulation.settings import Settings

SOURCE = "simulation:latent-quality"


@verb("edit")
def simulate(
    store: Store, collection: str, settings: Settings | None = None, *, progress: Progress = no_progress
) -> Imported:
    """Draw a collection and store it, whole or not at all; one that was simulated before is replaced.

    Raises UsageError where the collection holds something that was imported.
    """
    if collection in store.collections():
        sources = [about["source"] for about in store.snapshot(collection).sources]
        if sources != [SOURCE]:
            raise UsageError(
                f"Collection {collection} holds imported data, such as {sources[0]}; simulated data would mix with "
                "them. Choose another name."
            )
    parts = simulated_parts(settings or Settings(), progress=progress)
    committed = store.commit(collection, parts, source=SOURCE)
    about = store.snapshot(collection).sources[-1]
    return Imported(collection, committed.changed, dict(about["counts"]), list(about["notes"]))
