"""Reviews as JSON, read and written: an object per review, one a line or all in one list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.documents import decode_object, objects
from exam_core.formats.format import Format, Opening
from exam_core.formats.json_lines import BadLine, reporting
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews.formats.review_rows import ANNOTATION, KIND, LABEL_STUDIO, NAMES, REMEDY, ReviewRows
from exam_core.wings.reviews.review import Review

_OBJECT = msgspec.json.Decoder(dict[str, Any])


def read_json(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read objects whose fields are the columns of the table `reviews`; arguments and errors as `read_csv`."""
    rows = ReviewRows(path, reviewer)
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a review", REMEDY):
            said, _ = decode_object(raw, _OBJECT)
            said = _renamed(said) if said.keys() >= _MIN else said
            if not said.keys() & {"answer", "skipped"}:
                raise BadLine("neither answer nor skipped")
            rows.add(line, said)
    return rows.reading()


_MIN = {"annotator", ANNOTATION}


def _renamed(said: dict[str, Any]) -> dict[str, Any]:
    found = dict(said)
    for ours, names in LABEL_STUDIO.items():
        there = next((name for name in names if name in found), None)
        if there and ours not in found:
            found[ours] = found.pop(there)
    return found


def write_json(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as JSON lines; `read_json` reads the same."""
    return [msgspec.json.encode(review) for review in reviews]


def _fits(opening: Opening) -> bool:
    names = opening.objects
    about = {*NAMES["doc_id"], "question_id"}
    named = names & {"review_id", "reviewer", "queue_id", "task"}
    if names >= _MIN and names & set(NAMES["query_id"]) and names & about:
        return True
    return bool(named and names & {"answer", "skipped"} and names & set(NAMES["query_id"]) and names & about)


# Before banks and answers: a queue has texts of questions, and answers.
ROWS = (Format(kind=KIND, written="JSON lines", looks="reviews", order=4, fits=_fits, read=read_json),)
