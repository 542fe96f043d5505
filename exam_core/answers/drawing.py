"""The figures of the dashboard's pages, each with its description in words in `layout.meta`."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from exam_core.analysis.beside.comparison import shown_order
from exam_core.analysis.beside.grid import Grid
from exam_core.analysis.causes.explanation import Explanation
from exam_core.analysis.causes.outliers import Outliers
from exam_core.analysis.evaluation.leaderboard import Leaderboard
from exam_core.charts.agreement import counts_figure
from exam_core.charts.circularity import circularity_alternative, circularity_figure
from exam_core.charts.coefficients import coefficients_alternative, coefficients_figure
from exam_core.charts.cutoffs import multiples_alternative, multiples_figure
from exam_core.charts.enlarging import Figure
from exam_core.charts.fidelity import fidelity_alternative, fidelity_figure
from exam_core.charts.leaderboard import leaderboard_alternative, leaderboard_figure
from exam_core.charts.outliers import (
    contributions_alternative,
    contributions_figure,
    displacement_alternative,
    displacement_figure,
)
from exam_core.charts.scale import scale_of
from exam_core.charts.votes import accuracy_alternative, accuracy_figure
from exam_core.reports.fidelity import WORDS


def boards(found: Mapping[str, Leaderboard]) -> Figure:
    """Scores of the runs with standard errors, in the order of the reference."""
    rows = {name: board.rows for name, board in found.items()}
    order, reference = shown_order(found), next(iter(found.values())).reference
    scale = scale_of(rows, order, "raw")
    alternative = leaderboard_alternative(rows, order, reference, scale)
    return _described(leaderboard_figure(rows, order, scale=scale, reference=reference), alternative)


def coefficients(rows: pd.DataFrame) -> Figure:
    """Coefficients with their intervals."""
    return _described(coefficients_figure(rows), coefficients_alternative(rows))


def cells(found: pd.DataFrame, tau: int, relevant_from: int) -> Figure:
    """Passages by label and judgment."""
    told = ". ".join(f"{row.name}: {row.n:,}" for row in found.itertuples(index=False))
    figure = counts_figure(found, cuts=(_from(found["label"], tau), _from(found["relevance"], relevant_from)))
    return _described(figure, f"Passages by label and human judgment. {told}.")


def displacements(found: Outliers, explained: Explanation | None) -> Figure:
    """Displacements of all runs; of one that is explained, what each query adds."""
    if explained is not None:
        figure = contributions_figure(explained.queries, explained.run_id)
        return _described(figure, contributions_alternative(explained.queries, explained.run_id))
    methods = found.methods["method"].tolist()
    figure = displacement_figure(found.rows, methods, found.reference)
    return _described(figure, displacement_alternative(found.rows, methods, found.reference))


def modes(found: Grid) -> Figure:
    """Kendall's tau of every mode against tau, a panel for each measure; printed columns without a tau are left out."""
    names = found.rows[["bank", "grader"]].fillna("").agg(" ".join, axis=1).str.strip()
    rows = found.rows.assign(series=names)[found.rows["tau"].notna()]
    figure = multiples_figure(rows, found.measures, coefficient="kendall")
    return _described(figure, multiples_alternative(rows, found.measures, coefficient="kendall"))


def told_apart(rows: pd.DataFrame) -> Figure:
    """Pairs of runs by what tells them apart."""
    return _described(fidelity_figure(rows, WORDS), fidelity_alternative(rows, WORDS))


def accuracies(rows: pd.DataFrame) -> Figure:
    """Accuracy of each grading mode and of their majority."""
    return _described(accuracy_figure(rows), accuracy_alternative(rows))


def tagged(rows: pd.DataFrame, reference: str) -> Figure:
    """Displacements of tagged runs by every method."""
    return _described(circularity_figure(rows, reference), circularity_alternative(rows, reference))


def _described(figure: Figure, words: str) -> Figure:
    figure.update_layout(meta={"description": words})
    return figure


def _from(names: pd.Series, cut: int) -> int:
    """How many of the labels of a matrix, the largest first, reach a cut; of a 2 x 2 table, the first."""
    distinct = [str(name) for name in names.drop_duplicates()]
    numbers = [name for name in distinct if name.lstrip("-").isdecimal()]
    return sum(int(name) >= cut for name in numbers) if numbers else 1
