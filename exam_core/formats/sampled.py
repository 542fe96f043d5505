"""Judgments of a sample, with probabilities or strata: known, and not read, since measures count every judgment as one.

Source: the Million Query track's prels, the Legal track's probabilities, CDS 2016's strata (sample_eval).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from exam_core.errors import Problems
from exam_core.formats.format import Opening
from exam_core.formats.numbers import as_number, as_whole_number
from exam_core.formats.trec_faults import is_iteration

_FORMS = {
    "query_id 0 doc_id relevance probability": "$1, 0, $3, $4",
    "query_id 0 doc_id stratum relevance": "$1, 0, $3, $5",
    "query_id doc_id relevance method probability": "$1, 0, $2, $3",
    "query_id 0 doc_id relevance probability stratum": "$1, 0, $3, $4",
}
"""Their columns, and which are those of qrels."""


def sampled_columns(opening: Opening) -> str:
    """The columns of a file that begins like judgments of a sample; empty for every other file."""
    if _are_ranks(opening.rows):
        return ""
    return next((form for form in _FORMS if opening.most(partial(_fits, form.split()))), "")


def _fits(form: Sequence[str], row: Sequence[str]) -> bool:
    return len(row) == len(form) and all(_is_one(cell, name) for cell, name in zip(row, form, strict=True))


def _is_one(cell: str, name: str) -> bool:
    """Whether a cell is what a column holds."""
    if name == "probability":
        share = as_number(cell)
        return share is not None and 0 < share <= 1 and "." in cell
    if name == "0":
        return cell.isdigit() and is_iteration(cell)
    return name in ("query_id", "doc_id") or as_whole_number(cell) is not None


def _are_ranks(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the fourth column counts up below each query, as ranks do."""
    places = [(row[0], as_whole_number(row[3]) or 0) for row in rows if len(row) in (5, 6)]
    return bool(places) and all(query != other or a < b for (query, a), (other, b) in pairwise(places))


def refuse_sampled(opening: Opening) -> None:
    """Raise BadInput where a file holds judgments of a sample."""
    if columns := sampled_columns(opening):
        problems = Problems(opening.path)
        what = f"judgments of a sample ({columns}), which are not read: measures would count every judgment as one"
        remedy = f"To read them so nevertheless, keep the columns of qrels: awk '{{print {_FORMS[columns]}}}'"
        problems.add(1, what, opening.lines[0], remedy)
        problems.raise_if_any()
