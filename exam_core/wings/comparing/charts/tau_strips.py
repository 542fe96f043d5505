"""Many grading modes at once: a strip of colours for each over the taus."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import CELLS, described, sized
from exam_core.charts.colours import CHOSEN
from exam_core.charts.leaderboard_lines import in_lines
from exam_core.charts.strips import LINE
from exam_core.wings.comparing.charts.tau_curves import COEFFICIENTS, cutoffs_alternative

OF_SERIES = 44
"""Height of a strip in pixels."""


def tau_strips(rows: Mapping[str, pd.DataFrame], *, coefficient: str, measured: str = "") -> go.Figure:
    """Correlation of many series at every tau: a strip of colours for a series, its recommended tau framed.

    Parameters
    ----------
    rows, coefficient, measured : as in `cutoffs_figure`
    """
    taus = sorted({int(tau) for frame in rows.values() for tau in frame["tau"]})
    values = pd.DataFrame({name: frame.set_index("tau")[coefficient] for name, frame in rows.items()}).reindex(taus)
    figure = go.Figure(
        go.Heatmap(
            x=taus,
            y=list(range(len(rows))),
            z=values.T.to_numpy(float),
            texttemplate="%{z:.2f}",
            hovertemplate="tau %{x}: %{z:.3f}<extra></extra>",
            hoverongaps=False,
            **CELLS,
        )
    )
    best = [(tau, place) for place, frame in enumerate(rows.values()) for tau in frame.loc[frame["recommended"], "tau"]]
    figure.add_scatter(
        x=[tau for tau, _ in best],
        y=[place for _, place in best],
        mode="markers",
        marker={"symbol": "square-open", "size": 26, "color": CHOSEN, "line": {"width": 3}},
        hoverinfo="skip",
    )
    names = {"tickvals": list(range(len(rows))), "ticktext": [in_lines(name, LINE) for name in rows]}
    figure.update_layout(
        sized(90 + OF_SERIES * len(rows), top=10, above=None),
        xaxis={
            "title": in_lines(
                f"tau; colour and number: {COEFFICIENTS[coefficient]}{f' of {measured}' if measured else ''}", LINE
            ),
            "tickvals": taus,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis=names | {"autorange": "reversed", "automargin": True, "showgrid": False, "fixedrange": True},
    )
    return described(figure, cutoffs_alternative(rows, coefficient=coefficient))
