"""The door: a store that is opened, and the table of measures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from exam_core.addresses import local_path
from exam_core.answers.answer import Answer
from exam_core.errors import UsageError
from exam_core.measures import MEASURES
from exam_core.notebook.analysis_methods import refuse_no_text
from exam_core.notebook.collection import Collection
from exam_core.store import Store, default_store
from exam_core.store.summary import OF_GRADERS, counted_beside, of_each, summary


def open(store: str | Path | None = None, *, new: bool = False) -> OpenStore:
    """Open a store.

    Parameters
    ----------
    store : its folder, or an exported .duckdb file; by default $EXAMBOARD_STORE, else ./store, as the command line
    new : whether the folder may be made, with the first import

    Raises ExamboardError where there is no such store.

    >>> store = eb.open("store")
    >>> "demo" in store
    True
    """
    if not isinstance(store, Path | None):
        refuse_no_text(store=store)
    path = default_store() if store is None else local_path(Path(store))
    if not path.exists() and not new:
        raise UsageError(
            f"There is no store at {path.absolute()}. Name its folder; or build the demo there with: "
            "examboard demo; or begin an empty one with eb.open(..., new=True)."
        )
    return OpenStore(Store(path))


class OpenStore:
    """A store: `store["demo"]` is a collection of it, `list(store)` are their names."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getitem__(self, name: str) -> Collection:
        if not isinstance(name, str):
            raise UsageError(f"{name!r:.80} is not a collection's name. There are: {', '.join(self)}.")
        self._store.snapshot(name)
        return Collection(self._store, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._store.collections())

    def __len__(self) -> int:
        return len(self._store.collections())

    def __contains__(self, name: object) -> bool:
        return name in self._store.collections()

    def new(self, name: str) -> Collection:
        """A collection that is made with its first import, by `import_run` for instance.

        >>> mine = store.new("mine")
        >>> mine.import_run({"q1": {"d1": 2.0, "d2": 1.0}}, name="bm25").counts
        {'runs': 1, 'rankings': 2}
        """
        refuse_no_text(name=name)
        return Collection(self._store, name)

    def collections(self) -> Answer:
        """The collections with their counts, as `examboard list`; a damaged one is named in the notes.

        >>> store.collections().rows.set_index("collection").loc["demo", "runs"].item()
        15
        """
        store = self._store
        rows, damaged = of_each(store, lambda snapshot: summary(snapshot, **counted_beside(store, snapshot)))
        frame = pd.DataFrame(rows).drop(columns=list(OF_GRADERS), errors="ignore")
        return Answer(f"Store {self._store.path}", frame, damaged, text=rows)

    def __repr__(self) -> str:
        return f"Store {self._store.path}: {', '.join(self) or 'empty'}"

    def _repr_html_(self) -> str:
        return self.collections()._repr_html_()

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


def measure_table() -> pd.DataFrame:
    """Every measure: how it is spelled, what it means, its formula and source.

    >>> eb.measure_table().loc[0, "measure"]
    'Cover@20'
    """
    columns = ("measure", "meaning", "formula", "source")
    rows = [(info.spelling, info.meaning, info.formula, info.source) for info in MEASURES.values()]
    return pd.DataFrame(rows, columns=columns)
