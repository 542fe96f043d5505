"""Reviews as JSON, read and written: an object per review, one a line or all in one list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.annotations import labelled_records
from exam_core.formats.delimited import columns_of
from exam_core.formats.documents import decode_object, objects
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, reporting
from exam_core.formats.reading import Reading
from exam_core.formats.records import refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews.formats.review_rows import (
    ANNOTATION,
    COLUMNS,
    KIND,
    REMEDY,
    SIGNS_OF_REVIEWS,
    ReviewRows,
    renamed,
)
from exam_core.wings.reviews.review import Review

_OBJECT = msgspec.json.Decoder(dict[str, Any])


def read_json(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read objects whose fields are the columns of the table `reviews`; arguments and errors as `read_csv`."""
    rows = ReviewRows(path, reviewer)
    refuse_texts_for_ids(Opening(path), COLUMNS)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a review", REMEDY):
            said, _ = decode_object(raw, _OBJECT)
            for record in labelled_records(said):
                found = renamed(record)
                if not found.keys() & {"answer", "skipped"}:
                    raise BadLine("neither answer nor skipped")
                rows.add(line, found)
    return rows.reading()


def write_json(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as JSON lines; `read_json` reads the same."""
    return [msgspec.json.encode(review) for review in reviews]


def _fits(opening: Opening) -> bool:
    # Labels of a model are called as answers of Label Studio are, which its number of an annotation tells apart.
    names, found = opening.objects, columns_of([*opening.objects], COLUMNS).keys()
    answered = ANNOTATION in names or names & {"answer", "skipped"}
    signs = names & {*SIGNS_OF_REVIEWS}
    return bool(signs and answered and "query_id" in found and found & {"doc_id", "question_id"})


# Before banks and answers: a queue has texts of questions, and answers.
ROWS = (Format(kind=KIND, written="JSON lines", looks="reviews", order=4, fits=_fits, read=read_json),)
