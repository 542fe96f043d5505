"""A queue as a file in which people review: an item a row, its texts beside it, and an empty column for the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from exam_core.errors import visible
from exam_core.formats.csv_cells import cell_of, csv_lines
from exam_core.wings.reviews.formats.label_studio import write_tasks
from exam_core.wings.reviews.queue import Item, ItemTexts, Queue
from exam_core.wings.reviews.review import IDS, Task

LONGEST_TEXT = 30_000
"""Characters of a text; a cell of a spreadsheet holds 32,767."""
_TEXTS = {"query_id": "query_text", "question_id": "question_text", "doc_id": "passage_text"}
_ANSWERED = ("answer", "skipped", "note")
_DRAWN = ("queue_id", "sampler", "seed", "drawn", "stratum", "probability", "instruction")


Row = dict[str, Any]


def write_queue(queue: Queue, texts: Sequence[ItemTexts], form: str) -> list[bytes]:
    """The lines of a queue's file, its items in their order.

    Parameters
    ----------
    texts : of each item
    form : one of `FORMS`
    """
    return _WRITERS[form](queue.task, [_row(queue, item, said) for item, said in zip(queue.items, texts, strict=True)])


def _row(queue: Queue, item: Item, said: ItemTexts) -> Row:
    ids = {name: getattr(item, name) for name in IDS[queue.task]}
    words = {name: _shown(getattr(said, name)) for name in _columns(queue.task)}
    return {"task": queue.task, **ids, **words, "shared": item.shared, **queue.design(item)}


def _columns(task: Task) -> list[str]:
    """The texts that people read."""
    return [text for name, text in _TEXTS.items() if name in IDS[task]]


def _shown(text: str) -> str:
    """A text as every table takes it: control characters as escapes, and no longer than a cell."""
    text = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} [...]"


def _csv(task: Task, rows: Sequence[Row]) -> list[bytes]:
    header = [*_columns(task), *_ANSWERED, "reviewer", "shared", "task", *IDS[task], *_DRAWN]
    return csv_lines(header, ({name: cell_of(value) for name, value in row.items()} for row in rows))


def _jsonl(task: Task, rows: Sequence[Row]) -> list[bytes]:
    """What a review takes stands first: a file is recognised by how its lines begin."""
    order = ["task", *IDS[task], *_ANSWERED, "reviewer", "shared", *_DRAWN, *_columns(task)]
    return [msgspec.json.encode({name: row.get(name) for name in order}) for row in rows]


_WRITERS: dict[str, Callable[[Task, Sequence[Row]], list[bytes]]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "labelstudio": lambda _, rows: write_tasks(rows),
}
FORMS = tuple(_WRITERS)
