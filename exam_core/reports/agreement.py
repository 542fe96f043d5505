"""Agreement as rows and lines to print: the 2 x 2 table, its one row of a CSV file, each query's row."""

from __future__ import annotations

import math

import pandas as pd

from exam_core.analysis.judges.agreement import CELLS, CUT, GRID_FIELDS, Agreement
from exam_core.reports.tables import UNDEFINED, Format

ALL = "all"
"""What stands for a query's name in the row of all queries together, as trec_eval has it."""
_GRADED_FIELDS = ("linear_kappa", "quadratic_kappa", "krippendorff_alpha", "multiclass_kappa")


def agreement_rows(found: Agreement, form: Format, *, per_query: bool = False) -> pd.DataFrame:
    """What a form prints: the 2 x 2 table to read, one row of everything as CSV, or a row for each query."""
    if form in ("csv", "latex") and per_query:
        return per_query_rows(found)
    if form == "csv":
        values = _values(found)
        return pd.DataFrame([{name: values[name] for name in (*GRID_FIELDS, *_GRADED_FIELDS, "label_map")}])
    table = pd.DataFrame(
        {
            "predicted": [f">= {found.tau}", f"< {found.tau}"],
            f"judged >= {found.relevant_from}": found.confusion[:, 0],
            f"judged < {found.relevant_from}": found.confusion[:, 1],
        }
    )
    if form == "latex":
        # As in the papers: what holds for the whole table stands in its first line.
        beside = {"kappa": found.kappa, "95% interval": _interval(found), "n": found.n}
        table = table.assign(**{name: pd.Series([value, ""], dtype=object) for name, value in beside.items()})
    return table


def per_query_rows(found: Agreement) -> pd.DataFrame:
    """Each query's counts, kappa, precision, recall and F1, and those of all together."""
    values = _values(found) | {"query_id": ALL}
    together = pd.DataFrame([{name: values[name] for name in found.per_query}])
    return pd.concat([found.per_query, together], ignore_index=True) if len(found.per_query) else together


def agreement_lines(found: Agreement) -> list[str]:
    """What stands under the 2 x 2 table."""
    return [
        f"Cohen's kappa {_number(found.kappa)}, 95% interval {_interval(found)} (n = {found.n:,})",
        f"Precision {_number(found.precision)}, recall {_number(found.recall)}, F1 {_number(found.f1)}",
        f"Of the graded matrix: kappa over all classes {_number(found.multiclass_kappa)}, linear kappa "
        f"{_number(found.linear_kappa)}, quadratic kappa {_number(found.quadratic_kappa)}, Krippendorff's alpha "
        f"(ordinal) {_number(found.krippendorff_alpha)}",
        *found.notes,
        *found.scale_notes,
    ]


def _values(found: Agreement) -> dict[str, object]:
    low, high = found.kappa_interval or (math.nan, math.nan)
    cells = dict(zip(CELLS, found.confusion.ravel().tolist(), strict=True))
    named = (*CUT, "kappa", "precision", "recall", "f1", "n", *_GRADED_FIELDS, "label_map")
    return {**cells, "kappa_low": low, "kappa_high": high, **{name: getattr(found, name) for name in named}}


def _interval(found: Agreement) -> str:
    return " to ".join(map(_number, found.kappa_interval)) if found.kappa_interval else UNDEFINED


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.3f}"
