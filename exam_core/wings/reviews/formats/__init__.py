"""Reviews in every format, read and written, and queues as files that people fill in."""

from collections.abc import Callable, Iterable

from exam_core.wings.reviews.formats.queue_file import write_queue
from exam_core.wings.reviews.formats.review_tables import write_csv, write_json
from exam_core.wings.reviews.review import Review

__all__ = ["FORMS", "write_queue"]
FORMS: dict[str, Callable[[Iterable[Review]], list[bytes]]] = {"csv": write_csv, "jsonl": write_json}
"""The forms that reviews are written in."""
