"""How often grades of non-relevant passages rise, by perturbation and grading mode."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import axis, beside, described, one_a_line, sized
from exam_core.charts.coefficient_intervals import ROW, SPREAD, add_intervals
from exam_core.charts.colours import colour
from exam_core.charts.leaderboard_lines import SYMBOLS, plain


def gullibility_figure(rows: pd.DataFrame) -> go.Figure:
    """The share of grades that rise, a line for each perturbation and a symbol for each probe, with 95% intervals.

    Parameters
    ----------
    rows : series (name of a probe), perturbation, rises and rises_interval, a pair or None
    """
    figure = go.Figure()
    names = list(dict.fromkeys(rows["series"]))
    perturbations = list(dict.fromkeys(rows["perturbation"]))
    for number, name in enumerate(names):
        of_it = rows[rows["series"] == name].set_index("perturbation").reindex(perturbations)
        shift, ink = beside(number, len(names), SPREAD), colour(number)
        figure.add_scatter(
            x=of_it["rises"],
            y=[place + shift for place in range(len(perturbations))],
            name=plain(name),
            mode="markers",
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9, "color": ink},
            hovertemplate=f"{plain(name)}: %{{x:.1%}} of the grades rise<extra></extra>",
        )
        pairs = [pair if isinstance(pair, tuple) else (None, None) for pair in of_it["rises_interval"]]
        add_intervals(figure, pairs, shift, ink)
    figure.update_layout(
        sized(140 + ROW * len(perturbations), above=1.0),
        xaxis=axis("share of grades that rise, 95%", tickformat=".0%", range=[-0.02, 1.02]),
        yaxis=one_a_line([plain(name) for name in perturbations]),
        showlegend=True,
    )
    return described(figure, gullibility_alternative(rows))


def gullibility_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    told = [
        f"{name}: {', '.join(f'{row.perturbation} {_share(row.rises)}' for row in of_it.itertuples())}"
        for name, of_it in rows.groupby("series", sort=False)
    ]
    return f"Share of the grades of non-relevant passages that rise. {'; '.join(told)}."


def _share(value: float) -> str:
    return "unknown" if pd.isna(value) else f"{value:.1%}"
