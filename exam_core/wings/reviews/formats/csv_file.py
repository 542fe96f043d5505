r"""Reviews as CSV with a header, read and written: a review per row.

The columns are those of the table `reviews`; only what was asked, by whom and the answer have to be there. An empty
cell says nothing, and blanks at the ends of a cell don't count. Two
things keep a text what it is:

- A cell that begins like a formula is written with an apostrophe in front, so that no spreadsheet computes it; reading
  takes it away (`wording.guarded`).
- What a cell can't hold as it is (ends that are blank, carriage returns, the empty text) is written as JSON after
  `json:`, for instance `json:" two\r\nlines"`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from exam_core.formats.delimited import DOC_ID, QUERY_ID, has_columns, table_rows, with_point
from exam_core.formats.format import Format, Opening
from exam_core.formats.reading import Reading
from exam_core.progress import Progress, no_progress
from exam_core.wings.reviews.formats.kind import KIND
from exam_core.wings.reviews.formats.rows import BESIDE, LABEL_STUDIO, NAMES, ReviewRows
from exam_core.wings.reviews.review import Review
from exam_core.wings.reviews.tables import REVIEWS
from exam_core.wording import guarded, unguarded

ESCAPE = "json:"
_DECIMALS = ("seconds", "probability", "answer")


def read_csv(path: Path, *, reviewer: str | None = None, progress: Progress = no_progress) -> Reading:
    """Read rows of reviews, or of a queue whose empty column `answer` somebody filled in.

    Parameters
    ----------
    reviewer : who reviewed where a row does not say it

    Raises
    ------
    BadInput : a needed column is missing, a cell says what it can't, or an id occurs again with another review
    """
    rows = ReviewRows(path, reviewer)
    for row in table_rows(path, _COLUMNS, rows.problems, progress, needed=("query_id", "answer")):
        if not _ABOUT & set(row.cells):
            what = f"no column for {' or '.join(sorted(_ABOUT))}"
            rows.problems.add(1, what, ", ".join(row.cells)[:160], "Name the columns in the first line, in any order.")
            break
        said = {name: text_of(cell) for name, cell in row.cells.items()}
        said |= {name: with_point(value, row.separator) for name in _DECIMALS if (value := said.get(name))}
        rows.add(row.line, said)
    return rows.reading()


_COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*REVIEWS.names, *BESIDE), ()),
    **LABEL_STUDIO,
    **{"reviewer": NAMES["reviewer"], "query_id": QUERY_ID, "doc_id": DOC_ID},
}
_ABOUT = {"doc_id", "question_id"}


def text_of(cell: str) -> str | None:
    """What a cell says; None where it says nothing."""
    cell = cell.strip()
    if cell.startswith(f'{ESCAPE}"'):
        try:
            value = json.loads(cell.removeprefix(ESCAPE))
        except (ValueError, RecursionError):
            return cell
        return value if isinstance(value, str) else cell
    return unguarded(cell) or None


def cell_of(value: Any) -> str:
    """A value as a cell that `text_of` reads as the same, and no spreadsheet as a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    inner = value.split("\n")[1:-1]
    held = value.strip() == value != "" and not value.startswith(ESCAPE) and not any(c in value for c in "\0\r")
    if not held or any(line and line.isspace() for line in inner):
        return ESCAPE + json.dumps(value, ensure_ascii=False)
    return guarded(value)


def table(header: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Rows as the lines of a CSV file, as one piece."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([cell_of(row.get(name)) for name in header] for row in rows)
    return [buffer.getvalue().removesuffix("\n").encode()]


def write_csv(reviews: Iterable[Review]) -> list[bytes]:
    """Reviews as the lines of a CSV file; `read_csv` reads the same."""
    return table(REVIEWS.names, ({name: getattr(one, name) for name in REVIEWS.names} for one in reviews))


def _fits(opening: Opening) -> bool:
    groups = (("query_id",), ("answer",), ("task", "reviewer", "review_id", "queue_id"), _ABOUT)
    return all(any(has_columns(opening, _COLUMNS, one) for one in group) for group in groups)


# Before banks: a queue has the texts of its questions beside their ids.
ROWS = (Format(kind=KIND, written="CSV", looks="a table of reviews", order=27, fits=_fits, read=read_csv),)
