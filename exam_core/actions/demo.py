"""Building the embedded collections."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from exam_core import wings
from exam_core.actions.committing import ImportResult
from exam_core.actions.verbs import verb
from exam_core.demo.demo_collection import demo_collection
from exam_core.demo.printed import COLLECTIONS, printed
from exam_core.formats import Reading
from exam_core.progress import Progress, no_progress
from exam_core.store import Store


@verb("edit")
def build_demo(store: Store, *, progress: Progress = no_progress) -> list[ImportResult]:
    """Put the demo and the printed collections into a store; what is there already stays as it is.

    A file `actions/demo.py` of a wing declares what it adds in `DEMOS`, functions of the store.
    """
    made: dict[str, tuple[str, Callable[[], Reading]]] = {
        **{name: ("published", partial(printed, name)) for name in COLLECTIONS},
        "demo": ("demo", demo_collection),
    }
    more = tuple(wings.declared("demos"))
    done = []
    for place, (name, (source, make)) in enumerate(made.items()):
        progress(place / (len(made) + len(more)))
        reading = make()
        committed = store.commit(name, reading, source=source)
        done.append(ImportResult(name, committed.changed, reading.counts, reading.notes))
    for place, build in enumerate(more, len(made)):
        progress(place / (len(made) + len(more)))
        done += build(store)
    progress(1.0)
    return done
