"""Many series at once: a strip of colours for each grading mode over the taus, and for each run over the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.colours import CHOSEN, DEMOTED, INK, PAPER, PROMOTED
from exam_core.charts.cutoffs import COEFFICIENTS
from exam_core.charts.leaderboard import BESIDE, in_lines, plain
from exam_core.charts.outliers import DISPLACEMENT, axis_of_runs, axis_title, in_words, runs_in_order

MANY = 4
"""From so many series on, strips are read more easily than lines and symbols."""
OF_SERIES, OF_RUN = 44, 24
"""Height of a strip in pixels."""
LINE = 26
"""Letters in a line of the name of a series or method."""
SHADES = ((0.0, DEMOTED), (0.5, "rgba(128, 128, 128, 0.12)"), (1.0, PROMOTED))


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
            textfont=INK,
            colorscale=PAPER,
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate="tau %{x}: %{z:.3f}<extra></extra>",
            hoverongaps=False,
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
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        height=90 + OF_SERIES * len(rows),
        showlegend=False,
    )
    return figure


def displacement_strips(rows: pd.DataFrame, methods: Sequence[str], reference: str, *, of: str = "rank") -> go.Figure:
    """Displacement of each run by each of many methods: a strip of colours for a run, diamonds where it is flagged.

    Parameters
    ----------
    rows, methods, reference, of : as in `displacement_figure`
    """
    column, order = DISPLACEMENT[of], runs_in_order(rows, of=of)
    values = rows.pivot(index="run_id", columns="method", values=column).reindex(index=order, columns=list(methods))
    largest = float(values.abs().max(axis=None)) if len(order) else 1.0
    figure = go.Figure(
        go.Heatmap(
            x=list(range(len(methods))),
            y=list(range(len(order))),
            z=values.to_numpy(),
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
            hoverinfo="skip",
        )
    )
    _add_cells(figure, rows, methods, order, of)
    title = {"text": in_lines(axis_title(methods, reference, of), BESIDE), "side": "bottom"}
    bar = {"orientation": "h", "thickness": 12, "y": 0, "yanchor": "top", "ypad": 20, "title": title}
    figure.update_layout(
        xaxis={
            "tickmode": "array",
            "tickvals": list(range(len(methods))),
            "ticktext": [in_lines(method, LINE) for method in methods],
            "tickangle": -90,
            "side": "top",
            "range": [-0.5, len(methods) - 0.5],
            "automargin": True,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis=axis_of_runs(order) | {"showgrid": False},
        coloraxis={"colorscale": SHADES, "cmin": -largest, "cmax": largest, "colorbar": bar},
        margin={"l": 10, "r": 10, "t": 10, "b": 90},
        height=360 + OF_RUN * len(order),
        showlegend=False,
        hovermode="closest",
    )
    return figure


def _add_cells(figure: go.Figure, rows: pd.DataFrame, methods: Sequence[str], order: Sequence[str], of: str) -> None:
    """What is hovered and clicked: Streamlit hears of points only, not of a heat map's cells."""
    across, down = ({name: place for place, name in enumerate(names)} for names in (methods, order))
    flagged = rows["flagged"].fillna(False).astype(bool)
    look = {"symbol": "diamond", "size": 9, "color": "white", "line": {"width": 1, "color": "#1a1a1a"}}
    figure.add_scatter(
        x=rows["method"].map(across),
        y=rows["run_id"].map(down),
        mode="markers",
        marker=look | {"opacity": flagged.astype(float).tolist()},
        customdata=[
            [
                plain(row.run_id),
                plain(row.method),
                f"{getattr(row, DISPLACEMENT[of]):{'+.1f' if of == 'rank' else '+.3f'}}{in_words(row.low, row.high)}",
                f"rank {row.rank:g}, in the reference {row.reference_rank:g}",
                row.run_id,
            ]
            for row in rows.itertuples()
        ],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}<br>%{customdata[3]}<extra></extra>",
    )
