"""How alike graders grade: correlations of their grades, decimals included, and Krippendorff's alpha."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.choosing import grader_id, graders_in_order, no_grades
from exam_core.charts.chart_layout import axis, bars, legend, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.errors import UsageError
from exam_core.names import enumerated
from exam_core.numbers.annotator_agreement import interval_alpha
from exam_core.numbers.arrays import Floats, Ints
from exam_core.numbers.resampling import jackknife_interval
from exam_core.progress import Progress, no_progress
from exam_core.results import ResultTable, count, decimal, signed, text
from exam_core.store import Snapshot
from exam_core.store.question_banks import find_bank
from exam_core.store.scales import decimals
from exam_core.store.summary import alias_of, graded_banks
from exam_core.wording import counted

_OVER_QUERIES = "95% interval that leaves out each query in turn."
_GRADED = """
SELECT query_id, doc_id, coalesce(question_id, '') AS item, grader_id, coalesce(decimal, grade)::DOUBLE AS grade
FROM grades
WHERE grade IS NOT NULL AND list_contains($graders::VARCHAR[], grader_id) AND (
    $bank IS NULL OR question_id IS NULL
    OR question_id IN (SELECT question_id FROM questions WHERE bank_id = $bank)
)
ORDER BY ALL
"""
ROWS = ResultTable(
    "alike: rows",
    "Every pair of grading modes that grade the same, the most alike first",
    text("first", "Grading mode", pinned=True),
    text("second", "Another one"),
    count("grades", "Grades", "Passages, or passages and questions, that both grade readably.", "grades"),
    decimal(
        "alpha", "Krippendorff's alpha", "By the square of the difference of two grades.", source="Krippendorff 2011"
    ),
    decimal("alpha_low", "95% from", _OVER_QUERIES),
    decimal("alpha_high", "to", _OVER_QUERIES),
    decimal("pearson", "Pearson", "Pearson's correlation of the grades."),
    decimal("pearson_low", "95% from", _OVER_QUERIES),
    decimal("pearson_high", "to", _OVER_QUERIES),
    decimal("spearman", "Spearman", "Pearson's correlation of the grades' ranks; ties share their mean rank (scipy)."),
    decimal("kendall", "Kendall", "Kendall's tau-b of the grades (scipy)."),
    signed("difference", "Difference", "Mean of the other mode's grade minus the first one's.", "grades"),
)


@dataclass(frozen=True)
class Alike:
    """How alike grading modes grade: `rows` are `ROWS`.

    Parameters
    ----------
    graders : in the order in which they are named
    alpha : Krippendorff's alpha of all of them together, of what two or more grade
    grades : how many passages, or passages and questions, these are
    """

    graders: tuple[str, ...]
    bank: str | None
    alpha: float
    grades: int
    rows: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def alike(
    snapshot: Snapshot, names: Sequence[str] = (), bank: str | None = None, *, progress: Progress = no_progress
) -> Alike:
    """Compare the grades of grading modes, with their decimals where they have some.

    Parameters
    ----------
    names : of two graders or more; by default all
    bank : whose questions are compared, where graders answer questions; None: those of all banks

    Raises UsageError where fewer than two graders are named, one is unknown, or no two grade the same.

    Source: Krippendorff 2011 (alpha); Kendall 1945 (tau-b).
    """
    known = graded_banks(snapshot)
    if not known:
        raise UsageError(no_grades(snapshot))
    graders = list(dict.fromkeys(grader_id(snapshot, name) for name in names or graders_in_order(snapshot)))
    if unknown := [name for name in graders if name not in known]:
        raise UsageError(f"There is no grader {unknown[0]}. There are: {', '.join(known)}.")
    if len(graders) < 2:
        raise UsageError(f"Name two grading modes or more, each once: --graders a,b. There are: {', '.join(known)}.")
    bank = find_bank(snapshot, bank)[0] if bank else None
    frame = snapshot.query(_GRADED, {"graders": graders, "bank": bank})
    item, _ = pd.factorize(pd.MultiIndex.from_frame(frame[["query_id", "doc_id", "item"]]))
    ratings = np.full((item.max(initial=-1) + 1, len(graders)), np.nan)
    ratings[item, pd.Index(graders).get_indexer(frame["grader_id"])] = frame["grade"]
    query = np.zeros(len(ratings), np.int64)
    query[item], _ = pd.factorize(frame["query_id"])
    rows, apart = list[dict[str, Any]](), list[tuple[str, str]]()
    pairs = list(itertools.combinations(range(len(graders)), 2))
    for place, (a, b) in enumerate(pairs):
        both = ~np.isnan(ratings[:, [a, b]]).any(axis=1)
        if both.any():
            measured = of_pair(ratings[both, a], ratings[both, b], query[both])
            rows.append({"first": graders[a], "second": graders[b], "grades": int(both.sum())} | measured)
        else:
            apart.append((graders[a], graders[b]))
        progress((place + 1) / len(pairs))
    if not rows:
        raise UsageError(f"No two of {', '.join(graders)} grade the same passages and questions.")
    table = ROWS.of(pd.DataFrame(rows)).sort_values("alpha", ascending=False, kind="stable", ignore_index=True)
    several = int(((~np.isnan(ratings)).sum(axis=1) > 1).sum())
    compared = {row[side] for row in rows for side in ("first", "second")}
    alone = [name for name in graders if name not in compared]
    notes = [f"{name} grades nothing that another one grades." for name in alone]
    apart = [pair for pair in apart if not set(pair) & set(alone)]
    notes += [f"{first} and {second} grade nothing in common." for first, second in apart]
    exact = [name for name in graders if name in decimals(snapshot)]
    notes.append(
        f"Grades with decimals: those of {enumerated(exact)}."
        if exact
        else "No grade has decimals; all are whole grades."
    )
    return Alike(tuple(graders), bank, interval_alpha(ratings), several, table, notes)


def of_pair(first: Floats, second: Floats, query: Ints) -> dict[str, float]:
    """What `ROWS` says of (N,) grades of two modes, whose items belong to the (N,) numbered queries."""
    from scipy.stats import kendalltau, rankdata

    _, query = np.unique(query, return_inverse=True)
    columns = (np.ones_like(first), first, second, first**2, second**2, first * second)
    sums = np.stack([np.bincount(query, column) for column in columns], axis=1)
    total, values = sums.sum(axis=0), dict[str, float]()
    for name, figure in (("alpha", _alpha), ("pearson", _pearson)):
        whole = float(figure(total))
        low, high = jackknife_interval(whole, figure(total - sums))
        values |= {name: whole, f"{name}_low": float(np.maximum(low, -1)), f"{name}_high": float(np.minimum(high, 1))}
    ranks = rankdata(first), rankdata(second)
    is_constant = np.ptp(first) == 0 or np.ptp(second) == 0
    values["spearman"] = np.nan if is_constant else float(np.corrcoef(*ranks)[0, 1])
    values["kendall"] = np.nan if is_constant else float(kendalltau(first, second).statistic)
    return values | {"difference": float((second - first).mean())}


def _alpha(sums: Floats) -> Floats:
    """(...) Krippendorff's alpha of two raters, from (..., 6) sums of 1, x, y, x^2, y^2 and x y."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    expected = (xx + yy - (x + y) ** 2 / np.maximum(2 * n, 1)) / np.maximum(2 * n - 1, 1)
    observed = (xx + yy - 2 * xy) / np.maximum(n, 1) / 2
    return _over(expected - observed, expected, xx + yy)


def _pearson(sums: Floats) -> Floats:
    """(...) Pearson's correlation, from the same sums."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    of_x, of_y = n * xx - x**2, n * yy - y**2
    below = np.sqrt(np.maximum(of_x, 0) * np.maximum(of_y, 0))
    return _over(n * xy - x * y, below, n * np.maximum(xx, yy))


def _over(above: Floats, below: Floats, size: Floats) -> Floats:
    """(...) a quotient; NaN where what is below is nothing but rounding of sums of that size."""
    defined = below > 1e-12 * np.abs(size)
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=defined)


def alike_sentences(result: Alike, snapshot: Snapshot) -> list[str]:
    """How alike all modes grade, and which two are most and least alike."""
    number = counted({"grading modes": len({*result.rows["first"], *result.rows["second"]})})
    sentences = [
        f"Krippendorff's alpha of all {number} is {result.alpha:.3f}, of {result.grades:,} that two or more grade."
    ]
    known = result.rows[result.rows["alpha"].notna()]
    for row, what in zip(
        known.iloc[[0, -1]].to_dict("records") if len(known) > 1 else (), ("most", "least"), strict=False
    ):
        names = " and ".join(alias_of(snapshot, str(row[name])) for name in ("first", "second"))
        sentences.append(f"{names} are {what} alike: alpha {row['alpha']:.3f}, Pearson {row['pearson']:.3f}.")
    return sentences


def alike_figure(result: Alike, snapshot: Snapshot) -> go.Figure:
    """Alpha and Pearson's correlation of each pair, with their intervals."""
    rows = result.rows
    names = [
        escape_name(" and ".join(alias_of(snapshot, str(row[name])) for name in ("first", "second")))
        for row in rows.to_dict("records")
    ]
    figure = go.Figure()
    for name, label, symbol in (("alpha", ROWS["alpha"].label, "circle"), ("pearson", "Pearson", "diamond")):
        figure.add_scatter(
            x=rows[name],
            y=names,
            name=label,
            mode="markers",
            marker={"size": 10, "symbol": symbol},
            error_x=bars(rows[name], rows[f"{name}_low"], rows[f"{name}_high"]),
            hovertemplate="%{y}<br>%{x:.3f}<extra></extra>",
        )
    figure.update_layout(
        size_layout(max(240, 110 + 28 * len(rows)), top=60),
        xaxis=axis("agreement of the grades"),
        yaxis={"automargin": True, "autorange": "reversed"},
        legend=legend(),
    )
    return with_description(figure, " ".join(alike_sentences(result, snapshot)))
