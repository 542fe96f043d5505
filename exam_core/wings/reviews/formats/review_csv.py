"""Reviews as CSV with a header, read and written: a review per row.

The columns are those of the table `reviews`; only what was asked, by whom and the answer have to be there. Cells are
written as `csv_cells` has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from exam_core.formats.csv_cells import cell_of, csv_lines, text_of
from exam_core.formats.delimited import has_columns, table_rows, with_point
from exam_core.formats.format import Format, Opening
from exam_core.formats.reading import Reading
from exam_core.formats.records import refuse_texts_for_ids
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews.formats.review_rows import ANNOTATION, COLUMNS, KIND, SIGNS_OF_REVIEWS, ReviewRows
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.tables import REVIEWS

_DECIMALS = ("seconds", "probability", "answer")


def read_csv(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read rows of reviews, or of a queue whose empty column `answer` somebody filled in.

    Raises BadInput where a needed column is missing, a cell says what it can't, or an id occurs again with another
    review.

    Parameters
    ----------
    reviewer : who reviewed where a row does not say it
    """
    rows = ReviewRows(path, reviewer)
    refuse_texts_for_ids(Opening(path), COLUMNS)
    for row in table_rows(path, COLUMNS, rows.problems, progress, needed=("query_id", "answer")):
        if not _ABOUT & set(row.cells):
            what = f"no column for {' or '.join(sorted(_ABOUT))}"
            rows.problems.add(1, what, ", ".join(row.cells)[:160], "Name the columns in the first line, in any order.")
            break
        said = {name: text_of(cell) for name, cell in row.cells.items()}
        said |= {name: with_point(value, row.separator) for name in _DECIMALS if (value := said.get(name))}
        rows.add(row.line, said)
    return rows.reading()


_ABOUT = {"doc_id", "question_id"}


def write_csv(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as the lines of a CSV file; `read_csv` reads the same."""
    rows = ({name: cell_of(getattr(one, name)) for name in REVIEWS.names} for one in reviews)
    return csv_lines(REVIEWS.names, rows)


def _fits(opening: Opening) -> bool:
    # Judgments of several people are written alike, and are no reviews unless somebody says so.
    names = {**COLUMNS, ANNOTATION: (), "reviewer": ()}
    groups = (("query_id",), ("answer",), SIGNS_OF_REVIEWS, _ABOUT)
    return all(any(has_columns(opening, names, one) for one in group) for group in groups)


# Before banks: a queue has the texts of its questions beside their ids.
ROWS = (
    Format(
        kind=KIND,
        written="CSV",
        looks="a table of reviews",
        order=27,
        fits=_fits,
        read=read_csv,
        explains=("table", "text"),
    ),
)
