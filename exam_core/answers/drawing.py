"""The figures of the dashboard's pages."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from exam_core.analysis.agreement_matrices import counts_figure
from exam_core.analysis.comparison import shown_order
from exam_core.analysis.leaderboard import Leaderboard
from exam_core.analysis.outliers import Outliers
from exam_core.charts.chart_layout import scale_of, with_description
from exam_core.charts.enlarging import Figure
from exam_core.charts.leaderboard_lines import displacement_figure, leaderboard_figure


def boards(leaderboards: Mapping[str, Leaderboard]) -> Figure:
    """Scores of the runs with standard errors, in the order of the reference."""
    rows = {name: board.rows for name, board in leaderboards.items()}
    order, reference = shown_order(leaderboards), next(iter(leaderboards.values())).reference
    scale = scale_of(rows, order, "raw", bounds=[board.bounds for board in leaderboards.values()])
    return leaderboard_figure(rows, order, scale=scale, reference=reference)


def cells(frame: pd.DataFrame, tau: int, relevant_from: int) -> Figure:
    """Passages by label and judgment."""
    text = ". ".join(f"{row.name}: {row.n:,}" for row in frame.itertuples(index=False))
    figure = counts_figure(frame, cuts=(_from(frame["label"], tau), _from(frame["relevance"], relevant_from)))
    return with_description(figure, f"Passages by label and human judgment. {text}.")


def displacements(outliers: Outliers) -> Figure:
    """Displacements of all runs."""
    return displacement_figure(outliers.rows, outliers.methods["method"].tolist(), outliers.reference)


def _from(names: pd.Series, cut: int) -> int:
    """How many of the labels of a matrix, the largest first, reach a cut; of a 2 x 2 table, the first."""
    distinct = [str(name) for name in names.drop_duplicates()]
    numbers = [name for name in distinct if name.lstrip("-").isdecimal()]
    return sum(int(name) >= cut for name in numbers) if numbers else 1
