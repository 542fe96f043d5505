"""The passages that a collection names, and how many of them have no text.

Runs may name many millions: ids are read some at a time, and of each no more is held than a number of 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from exam_core.formats.seen import distinct, places_among
from exam_core.store.cited_passages import cited_passages
from exam_core.store.derived_files import on_disk
from exam_core.store.files import content_name
from exam_core.store.snapshot import Snapshot
from exam_core.store.snapshot_cache import kept

_NAMED = " UNION ALL ".join(f"SELECT doc_id FROM {table}" for table in ("pool", "judgments", "grades", "rankings"))
# A text has a hash: the texts themselves are not read.
_WITH_TEXT = "SELECT doc_id FROM passages WHERE text_hash IS NOT NULL"
_BATCH = 2**14


@dataclass(frozen=True)
class TextCounts:
    """How many passages runs, judgments, pools and grades name, and how many of these have no text."""

    named: int
    textless: int


def named_passages(snapshot: Snapshot) -> Iterator[str]:
    """Ids of the passages that a run, a judgment, a pool or a grade names, or a response cites; some several times."""
    with snapshot.cursor(narrow=True) as cursor:
        for batch in cursor.sql(snapshot.with_tables(_NAMED)).to_arrow_reader(_BATCH):
            yield from batch.column(0).to_pylist()
    yield from chain.from_iterable(cited_passages(snapshot).values())


def names_of_passages(snapshot: Snapshot) -> str:
    """What differs where other passages are named."""
    (named,) = _distinct(snapshot, _NAMED)
    return f"{content_name(named.tobytes())} {sorted(set().union(*cited_passages(snapshot).values()))}"


@kept(64)
@on_disk
def texts_of_named(snapshot: Snapshot) -> TextCounts:
    """How many passages are named, and how many of these have no text."""
    named, with_text = _distinct(snapshot, _NAMED, _WITH_TEXT)
    some = (named[at : at + _BATCH] for at in range(0, len(named), _BATCH))
    return TextCounts(len(named), sum(int((places_among(with_text, ids) < 0).sum()) for ids in some))


def _distinct(snapshot: Snapshot, *selects: str) -> Iterator[npt.NDArray[np.int64]]:
    """What DuckDB makes of ids that rows have, each once."""
    with snapshot.cursor(narrow=True) as cursor:
        for sql in selects:
            hashes = cursor.sql(snapshot.with_tables(f"SELECT hash(doc_id) FROM ({sql})")).to_arrow_reader(_BATCH)
            yield distinct(batch.column(0).to_numpy(zero_copy_only=False).view(np.int64) for batch in hashes)
