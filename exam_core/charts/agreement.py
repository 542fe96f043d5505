"""Agreement of labels and judgments: matrices of counts whose cells can be clicked, kappas by cut and by query."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.charts.leaderboard import plain

MARGIN = {"l": 10, "r": 10, "t": 40, "b": 10}
ROW, BESIDES = 44, 110
"""Height of a row of a matrix, and of what stands around it."""
CHOSEN = "#e66100"
"""Lines and frames at the chosen cut: every eye tells it from blue, and it shows on light and dark pages."""
PAPER, INK = [[0, "#f2f6fa"], [1, "#6baed6"]], {"color": "#1a1a1a"}
"""Colours of cells, all of them light, so that dark numbers can be read on them by day and by night."""
MOST_NAMES = 60
"""Queries that are named on the axis."""


def counts_figure(cells: pd.DataFrame, *, cuts: tuple[int, int] | None = None) -> go.Figure:
    """Passages by label (downwards) and judgment, with sums; colour is the share of the label's passages.

    Parameters
    ----------
    cells : label, relevance, n, of_label, of_relevance, name; in the order of rows and columns
    cuts : how many rows and columns count as relevant; a line is drawn behind them

    The custom data of a point is the cell's name.
    """
    labels, relevances = list(dict.fromkeys(cells["label"])), list(dict.fromkeys(cells["relevance"]))
    rows = cells["label"].map({name: place for place, name in enumerate(labels)})
    columns = cells["relevance"].map({name: place for place, name in enumerate(relevances)})
    figure = go.Figure(
        go.Heatmap(
            x=columns,
            y=rows,
            z=cells["of_label"],
            colorscale=PAPER,
            zmin=0,
            zmax=1,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
            showscale=False,
        )
    )
    _add_points(figure, cells, rows, columns)
    _add_counts(figure, cells, rows, columns)
    figure.update_layout(
        xaxis=_axis("human judgment", [*map(plain, relevances), "all"]) | {"side": "top"},
        yaxis=_axis("label", [*map(plain, labels), "all"]),
        margin=MARGIN,
        height=BESIDES + ROW * (len(labels) + 1),
        showlegend=False,
        hovermode="closest",
    )
    if cuts:
        line = {"width": 2, "dash": "dash", "color": CHOSEN}
        figure.add_hline(y=cuts[0] - 0.5, line=line)
        figure.add_vline(x=cuts[1] - 0.5, line=line)
    return figure


def _add_points(figure: go.Figure, cells: pd.DataFrame, rows: pd.Series, columns: pd.Series) -> None:
    """What is clicked: Streamlit hears of points only, not of a heat map's cells."""
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="markers",
        marker={"symbol": "square-open", "size": 34, "opacity": 0, "color": CHOSEN, "line": {"width": 3}},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0}},
        customdata=[
            [name, f"{n:,}", f"{of_label:.1%}", f"{of_relevance:.1%}"]
            for name, n, of_label, of_relevance in zip(
                map(plain, cells["name"]), cells["n"], cells["of_label"], cells["of_relevance"], strict=True
            )
        ],
        hovertemplate="%{customdata[0]}: %{customdata[1]} passages<br>%{customdata[2]} of the label's, "
        "%{customdata[3]} of the judgment's<extra></extra>",
    )


def _add_counts(figure: go.Figure, cells: pd.DataFrame, rows: pd.Series, columns: pd.Series) -> None:
    """The counts and, outside of the colours, their sums."""
    labels, relevances = list(dict.fromkeys(cells["label"])), list(dict.fromkeys(cells["relevance"]))
    by_label = cells.groupby("label", sort=False)["n"].sum()
    by_relevance = cells.groupby("relevance", sort=False)["n"].sum()
    sums = [(len(relevances), row, n) for row, n in enumerate(by_label)]
    sums += [(column, len(labels), n) for column, n in enumerate(by_relevance)]
    # As a trace they would fade when a cell is clicked.
    for x, y, n in zip(columns, rows, cells["n"], strict=True):
        figure.add_annotation(x=x, y=y, text=f"{n:,}", showarrow=False, font=INK)
    for x, y, n in [*sums, (len(relevances), len(labels), cells["n"].sum())]:
        figure.add_annotation(x=x, y=y, text=f"{n:,}", showarrow=False)
    figure.update_xaxes(range=[-0.5, len(relevances) + 0.5])
    figure.update_yaxes(range=[len(labels) + 0.5, -0.5])


def _axis(title: str, names: list[str]) -> dict[str, object]:
    return {
        "title": title,
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
    }


def kappa_figure(
    grid: pd.DataFrame, *, tau: int | None = None, relevant_from: int | None = None, label_rank: int | None = None
) -> go.Figure:
    """Kappa at every tau (to the right) and judgment cut (upwards), a panel for each label rank.

    Parameters
    ----------
    grid : tau, relevant_from, label_rank (null for printed labels), kappa, kappa_low, kappa_high, n
    tau, relevant_from, label_rank : the chosen cut, which is framed
    """
    ranks = list(dict.fromkeys(grid["label_rank"].astype("Int64").fillna(0)))
    titles = [f"label rank {rank}" if rank else "as printed" for rank in ranks]
    cuts = sorted(set(grid["relevant_from"]))
    figure = make_subplots(
        rows=max(1, len(ranks)), cols=1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=0.1
    )
    for row, rank in enumerate(ranks, 1):
        part = grid[grid["label_rank"].astype("Int64").fillna(0) == rank]
        figure.add_trace(_kappas(part), row=row, col=1)
        for x, y, kappa in zip(part["tau"], part["relevant_from"], part["kappa"], strict=True):
            text = f"{kappa:.2f}" if kappa == kappa else "†"
            figure.add_annotation(x=x, y=y, text=text, showarrow=False, font=INK, row=row, col=1)
        here = (part["tau"] == tau) & (part["relevant_from"] == relevant_from)
        if here.any() and rank == (label_rank or 0):
            marker = {"symbol": "square-open", "size": 30, "color": CHOSEN, "line": {"width": 3}}
            figure.add_scatter(
                x=[tau], y=[relevant_from], mode="markers", marker=marker, hoverinfo="skip", row=row, col=1
            )
    figure.update_xaxes(tickmode="array", tickvals=sorted(set(grid["tau"])), showgrid=False, fixedrange=True)
    figure.update_xaxes(title="grade cutoff tau", row=max(1, len(ranks)), col=1)
    figure.update_yaxes(title="judged from", tickmode="array", tickvals=cuts, showgrid=False, automargin=True)
    figure.update_layout(
        coloraxis={"colorscale": PAPER, "cmin": 0, "cmax": max(0.01, grid["kappa"].max()), "showscale": False},
        margin=MARGIN,
        height=BESIDES + max(1, len(ranks)) * (60 + ROW * len(cuts)),
        showlegend=False,
    )
    return figure


def _kappas(part: pd.DataFrame) -> go.Heatmap:
    return go.Heatmap(
        x=part["tau"],
        y=part["relevant_from"],
        z=part["kappa"],
        customdata=[
            [f"{low:.3f} to {high:.3f}" if low == low else "no interval", f"{n:,}"]
            for low, high, n in zip(part["kappa_low"], part["kappa_high"], part["n"], strict=True)
        ],
        hovertemplate="tau %{x}, judged from %{y}<br>kappa %{z:.3f}<br>%{customdata[0]}<br>n = %{customdata[1]}"
        "<extra></extra>",
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )


def kappa_alternative(grid: pd.DataFrame) -> str:
    """The panels in words."""
    known = grid[grid["kappa"].notna()]
    if not len(known):
        return "Kappa is undefined at every cut."
    best, worst = known.loc[known["kappa"].idxmax()], known.loc[known["kappa"].idxmin()]
    ends = [
        f"{what} is {row['kappa']:.3f} at tau {row['tau']:.0f}, judged from {row['relevant_from']:.0f}"
        + ("" if pd.isna(row["label_rank"]) else f", label rank {row['label_rank']:.0f}")
        for what, row in (("The largest", best), ("the smallest", worst))
    ]
    return f"Cohen's kappa at {len(grid)} cuts. {'; '.join(ends)}."


def per_query_figure(per_query: pd.DataFrame, kappa: float, interval: tuple[float, float] | None) -> go.Figure:
    """Each query's kappa, smallest first, beside that of all queries together with its interval.

    Parameters
    ----------
    per_query : query_id, n, kappa; an undefined kappa leaves a gap
    kappa, interval : of all queries together
    """
    rows = per_query.sort_values("kappa", kind="stable", na_position="last", ignore_index=True)
    figure = go.Figure()
    if interval:
        figure.add_hrect(y0=interval[0], y1=interval[1], line={"width": 0}, opacity=0.2, fillcolor="gray")
    if kappa == kappa:
        figure.add_hline(y=kappa, line={"dash": "dash", "color": "gray"}, annotation={"text": "all together"})
    figure.add_scatter(
        x=list(range(len(rows))),
        y=rows["kappa"],
        mode="markers",
        marker={"size": 8, "symbol": "diamond"},
        customdata=[[plain(name), f"{n:,}"] for name, n in zip(rows["query_id"], rows["n"], strict=True)],
        hovertemplate="%{customdata[0]}<br>kappa %{y:.3f}<br>%{customdata[1]} passages<extra></extra>",
    )
    names = [plain(name) for name in rows["query_id"]] if len(rows) <= MOST_NAMES else []
    figure.update_layout(
        xaxis={
            "title": "queries",
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "tickangle": -60,
            "automargin": True,
            "showgrid": False,
        },
        yaxis={"title": "Cohen's kappa", "automargin": True},
        margin=MARGIN,
        height=380,
        showlegend=False,
    )
    return figure


def per_query_alternative(per_query: pd.DataFrame, kappa: float) -> str:
    """The kappas of the queries in words."""
    known = per_query[per_query["kappa"].notna()]
    if not len(known):
        return "No query has a kappa of its own."
    low, high = known.loc[known["kappa"].idxmin()], known.loc[known["kappa"].idxmax()]
    return (
        f"Cohen's kappa of {len(known)} of {len(per_query)} queries, from {low['kappa']:.3f} ({low['query_id']}) to "
        f"{high['kappa']:.3f} ({high['query_id']}); all together {kappa:.3f}."
    )
