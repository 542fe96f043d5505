"""Reviews as CSV with a header, or as JSON (an object a line, or all in one list), read and written.

The columns are those of the table `reviews`; only what was asked, by whom and the answer have to be there. Cells are
written as `csv_cells` has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from exam_core.formats.annotations import labelled_records
from exam_core.formats.csv_cells import cell_of, csv_lines, text_of
from exam_core.formats.delimited import columns_of, has_columns, table_rows, with_point
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
from exam_core.wings.reviews.tables import REVIEWS

_DECIMALS = ("seconds", "probability", "answer")
_ABOUT = {"doc_id", "question_id"}
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def read_reviews(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read reviews, or rows of a queue whose empty column `answer` somebody filled in.

    Raises BadInput where a needed column is missing, a cell says what it can't, or an id occurs again with another
    review.

    Parameters
    ----------
    reviewer : who reviewed where a row does not say it
    """
    rows, opening = ReviewRows(path, reviewer), Opening(path)
    refuse_texts_for_ids(opening, COLUMNS)
    if not opening.is_json:
        for line, said in _cells(rows, progress):
            rows.add(line, said)
        return rows.reading()
    for line, raw in objects(path, rows.problems, progress):
        with reporting(rows.problems, line, raw, "a review", REMEDY):
            for record in labelled_records(decode_object(raw, _OBJECT)[0]):
                found = renamed(record)
                if not found.keys() & {"answer", "skipped"}:
                    raise BadLine("neither answer nor skipped")
                rows.add(line, found)
    return rows.reading()


def _cells(rows: ReviewRows, progress: Progress) -> Iterator[tuple[int, dict[str, str | None]]]:
    for row in table_rows(rows.path, COLUMNS, rows.problems, progress, needed=("query_id", "answer")):
        if not _ABOUT & set(row.cells):
            what = f"no column for {' or '.join(sorted(_ABOUT))}"
            rows.problems.add(1, what, ", ".join(row.cells)[:160], "Name the columns in the first line, in any order.")
            return
        said = {name: text_of(cell) for name, cell in row.cells.items()}
        yield row.line, said | {name: with_point(cell, row.separator) for name in _DECIMALS if (cell := said.get(name))}


def write_csv(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as the lines of a CSV file; `read_reviews` reads the same."""
    rows = ({name: cell_of(getattr(one, name)) for name in REVIEWS.names} for one in reviews)
    return csv_lines(REVIEWS.names, rows)


def write_json(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as JSON lines; `read_reviews` reads the same."""
    return [msgspec.json.encode(review) for review in reviews]


def _fits_table(opening: Opening) -> bool:
    # Judgments of several people are written alike, and are no reviews unless somebody says so.
    names = {**COLUMNS, ANNOTATION: (), "reviewer": ()}
    groups = (("query_id",), ("answer",), SIGNS_OF_REVIEWS, _ABOUT)
    return all(any(has_columns(opening, names, one) for one in group) for group in groups)


def _fits_json(opening: Opening) -> bool:
    # Labels of a model are called as answers of Label Studio are, which its number of an annotation tells apart.
    names, found = opening.objects, columns_of([*opening.objects], COLUMNS).keys()
    answered = ANNOTATION in names or names & {"answer", "skipped"}
    return bool(names & {*SIGNS_OF_REVIEWS} and answered and "query_id" in found and found & _ABOUT)


# Before banks and answers: a queue has texts of questions beside their ids, and answers.
ROWS = (
    Format(kind=KIND, written="JSON lines", looks="reviews", order=4, fits=_fits_json, read=read_reviews),
    Format(
        kind=KIND,
        written="CSV",
        looks="a table of reviews",
        order=27,
        fits=_fits_table,
        read=read_reviews,
        explains=("table", "text"),
    ),
)
