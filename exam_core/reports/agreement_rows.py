"""Agreement as rows and lines to print: the 2 x 2 table, its one row of a CSV file, each query's row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from exam_core.analysis.evaluation.caveats import unreadable_first
from exam_core.analysis.judges.agreement_columns import AGREEING, CELLS, GRID, RETRIEVAL
from exam_core.analysis.judges.label_agreement import Agreement
from exam_core.reports.tables import UNDEFINED, Format, written
from exam_core.results import ResultTable, decimal, text
from exam_core.wording import closest, counted, cut_in_words, number

ALL = "all"
"""What stands for a query's name in the row of all queries together, as trec_eval has it."""
NAMED = 3
"""Queries that a sentence names."""
_WEIGHTED = (
    "1 - observed / expected distance of label and judgment in the graded matrix; the distance is {}. "
    "Labels and judgments are compared as if they had one scale."
)
ROW = ResultTable(
    "agreement: row",
    "All figures of an agreement in one row, as in CSV; undefined values are NaN",
    *GRID.columns,
    *AGREEING,
    decimal("linear_kappa", "Linear kappa", _WEIGHTED.format("|i - j|"), source="Cohen 1968"),
    decimal("quadratic_kappa", "Quadratic kappa", _WEIGHTED.format("(i - j) squared"), source="Cohen 1968"),
    decimal(
        "krippendorff_alpha",
        "Alpha, ordinal",
        "Krippendorff's alpha of the graded matrix, ordinal: 1 - observed / expected disagreement.",
        source="Krippendorff 2011, Computing Krippendorff's Alpha-Reliability",
    ),
    decimal(
        "multiclass_kappa",
        "Kappa, all classes",
        "Cohen's kappa of the graded matrix: grader and judge agree where label and judgment are the same number "
        "(Cohen 1960). A label map brings both to one scale.",
    ),
    text("label_map", "Label map", "Labels for grades, as typed; empty if labels are grades."),
)

BY_MODE = ResultTable(
    "agreement: modes",
    "Kappa of each grading mode at one threshold; undefined values are NaN",
    text("grader", "Grading mode"),
    GRID["tau"],
    GRID["kappa"],
    replace(GRID["kappa_low"], label="95% from"),
    replace(GRID["kappa_high"], label="to"),
)


def agreement_rows(found: Agreement, form: Format, *, per_query: bool = False) -> pd.DataFrame:
    """What a form prints: the 2 x 2 table to read, one row of everything as CSV, or a row for each query."""
    if form in ("csv", "latex", "siunitx") and per_query:
        return per_query_rows(found)
    if form == "csv":
        return ROW.of([_values(found)])
    table = pd.DataFrame(
        {
            "predicted": [f">= {found.tau}", f"< {found.tau}"],
            f"judged >= {found.relevant_from}": found.confusion[:, 0],
            f"judged < {found.relevant_from}": found.confusion[:, 1],
        }
    )
    if form in ("latex", "siunitx"):
        # As in the papers: what holds for the whole table stands in its first line.
        beside = {"kappa": found.kappa, "95% interval": _interval(found), "n": found.n}
        table = table.assign(**{name: pd.Series([value, ""], dtype=object) for name, value in beside.items()})
    return table


def agreed_with_judges(found: Agreement, who: str, each: Mapping[str, float]) -> str:
    """How well a grading mode and the judges agree; of several modes first which is closest.

    Parameters
    ----------
    each : kappa of each grading mode by its name, where there are several
    """
    low, high = found.kappa_interval or (math.nan, math.nan)
    ends = f" (95% interval {low:.2f} to {high:.2f})" if found.kappa_interval else ""
    cut = cut_in_words(found.tau, found.relevant_from, found.label_rank or 1)
    others = closest(each, "kappa") if len(each) > 1 else ""
    return (f"Closest to the judges: {others}. " if others else "") + (
        f"{who} and the judges agree with a kappa of {number(found.kappa, '.3f')}{ends} on "
        f"{counted({'passages': found.n})} (relevant: {cut})."
    )


def per_query_rows(found: Agreement) -> pd.DataFrame:
    """Each query's row, and one of all together."""
    values = _values(found) | {"query_id": ALL}
    together = pd.DataFrame([{name: values.get(name, math.nan) for name in found.per_query}])
    return pd.concat([found.per_query, together], ignore_index=True) if len(found.per_query) else together


def as_read(per_query: pd.DataFrame) -> pd.DataFrame:
    """Each query's row with the coefficients before the counts that they are made of."""
    last = ["n", *CELLS, *RETRIEVAL]
    return per_query[[name for name in per_query if name not in last] + last]


def kappas_by_mode(found: Mapping[str, Agreement]) -> pd.DataFrame:
    """`BY_MODE` of agreements by grading mode."""
    unknown = math.nan, math.nan
    rows = [(mode, one.tau, one.kappa, *(one.kappa_interval or unknown)) for mode, one in found.items()]
    return BY_MODE.of(pd.DataFrame(rows, columns=list(BY_MODE.names)))


def compared_sentence(found: Agreement) -> str:
    """How many passages are compared, and which of them are relevant."""
    cut = cut_in_words(found.tau, found.relevant_from, found.label_rank or 1)
    return f"{counted({'passages': found.n})} with a grade and a judgment. Relevant: {cut}."


def parting_sentence(found: Agreement) -> str:
    """The queries on which grader and judges part most, and whether that is more than chance."""
    known = found.per_query.dropna(subset=["kappa_shrunk"])
    if known.empty:
        return "Kappas of single queries are not shrunk: fewer than five queries have one."
    apart = known[known["kappa_shrunk_high"] < found.kappa]
    first = ", ".join(known["query_id"].head(NAMED))
    return (
        f"Grader and judges disagree most on {first}. The interval of the shrunk kappa lies below the kappa of all "
        f"queries together on {len(apart)} of {counted({'queries': len(known)})}."
    )


def agreement_lines(found: Agreement) -> list[str]:
    """What stands under the 2 x 2 table; how much can't be read first, where that is much."""
    first, rest = unreadable_first(found.notes)
    return [
        *first,
        f"Cohen's kappa {written(found.kappa)}, 95% interval {_interval(found, 'undefined')} (n = {found.n:,})",
        f"Raw agreement {written(found.observed_agreement)}, Gwet's AC1 {written(found.gwet_ac1)}, PABAK "
        f"{written(found.pabak)}",
        f"Precision {written(found.precision)}, recall {written(found.recall)}, F1 {written(found.f1)}",
        f"Of the graded matrix: kappa over all classes {written(found.multiclass_kappa)}, linear kappa "
        f"{written(found.linear_kappa)}, quadratic kappa {written(found.quadratic_kappa)}, Krippendorff's alpha "
        f"(ordinal) {written(found.krippendorff_alpha)}",
        *rest,
        *found.scale_notes,
    ]


def _values(found: Agreement) -> dict[str, object]:
    low, high = found.kappa_interval or (math.nan, math.nan)
    cells = dict(zip(CELLS, found.confusion.ravel().tolist(), strict=True))
    values = {**cells, "kappa_low": low, "kappa_high": high}
    return values | {name: getattr(found, name) for name in ROW.names if name not in values}


def _interval(found: Agreement, otherwise: str = UNDEFINED) -> str:
    return " to ".join(map(written, found.kappa_interval)) if found.kappa_interval else otherwise
