"""Agreement of labels and judgments: matrices of counts whose cells can be clicked, kappas by cut and by query."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import CELLS, bars, described, named, sized, spread
from exam_core.charts.colours import CHOSEN, INK, PAPER, QUIET
from exam_core.charts.leaderboard_lines import in_lines, plain
from exam_core.wording import UNDEFINED, counted

ROW, BESIDES, GAP = 38, 90, 0.25
"""Height of a row of a matrix, and of what stands around it; share of a panel that is left for its title."""


def counts_figure(
    cells: pd.DataFrame,
    *,
    cuts: tuple[int, int] | None = None,
    chosen: str | None = None,
    judged: str = "human judgment",
) -> go.Figure:
    """Passages by label (downwards) and judgment, with sums; colour is the share of the label's passages.

    Parameters
    ----------
    cells : label, relevance, n, of_label, of_relevance, name; in the order of rows and columns
    cuts : how many rows and columns count as relevant; a line is drawn behind them
    chosen : name of the cell that has a frame
    judged : what stands on the axis of the relevances

    The custom data of a cell begins with its name.
    """
    labels, relevances = list(dict.fromkeys(cells["label"])), list(dict.fromkeys(cells["relevance"]))
    by_cell = _by_cell(cells, labels, relevances)
    figure = go.Figure(
        go.Heatmap(
            z=by_cell["of_label"],
            text=by_cell["text"],
            customdata=by_cell["said"],
            texttemplate="%{text}",
            hovertemplate="%{customdata[0]}: %{customdata[1]} passages<br>%{customdata[2]} of the label's, "
            "%{customdata[3]} of the judgment's<extra></extra>",
            hoverongaps=True,
            **CELLS,
        )
    )
    framed = [
        _frame(labels.index(label), relevances.index(relevance))
        for label, relevance in cells.loc[cells["name"] == chosen, ["label", "relevance"]].itertuples(index=False)
    ]
    figure.update_layout(
        sized(BESIDES + ROW * (len(labels) + 1), above=None),
        xaxis=_axis(judged, relevances) | {"side": "top", "range": [-0.5, len(relevances) + 0.5]},
        yaxis=_axis("label", labels) | {"range": [len(labels) + 0.5, -0.5]},
        annotations=_sums(cells, labels, relevances),
        shapes=[*(_lines(*cuts) if cuts else []), *framed],
    )
    return described(figure, counts_alternative(cells))


def counts_alternative(cells: pd.DataFrame) -> str:
    """The cells in words, row by row."""
    rows = [
        f"Label {label}: "
        + ", ".join(f"{n:,} judged {name}" for name, n in zip(row["relevance"], row["n"], strict=True))
        for label, row in cells.groupby("label", sort=False)
    ]
    return ". ".join(rows) + "."


def _by_cell(cells: pd.DataFrame, labels: list[str], relevances: list[str]) -> dict[str, list[list[Any]]]:
    """Share, text and words of each cell, in a list for each label: only so has a cell custom data of its own."""
    columns = (cells[name] for name in ("name", "n", "of_label", "of_relevance"))
    said = [
        [plain(name), f"{n:,}", _percent(left), _percent(right)] for name, n, left, right in zip(*columns, strict=True)
    ]
    shown = cells.assign(text=[f"{n:,}" for n in cells["n"]], said=said)
    return {
        name: shown.pivot(index="label", columns="relevance", values=name).loc[labels, relevances].to_numpy().tolist()
        for name in ("of_label", "text", "said")
    }


def _frame(row: int, column: int) -> dict[str, Any]:
    """A frame around a cell."""
    sides = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", "line": {"width": 3, "color": CHOSEN}} | sides


def _lines(row: int, column: int) -> list[dict[str, Any]]:
    """Lines behind a row and behind a column."""
    line = {"type": "line", "line": {"width": 2, "dash": "dash", "color": CHOSEN}}
    return [
        line | {"xref": "paper", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row - 0.5},
        line | {"yref": "paper", "y0": 0, "y1": 1, "x0": column - 0.5, "x1": column - 0.5},
    ]


def _percent(share: float) -> str:
    return UNDEFINED if pd.isna(share) else f"{share:.1%}"


def _sums(cells: pd.DataFrame, labels: list[str], relevances: list[str]) -> list[dict[str, Any]]:
    """Sums beside and below the cells."""
    by_label = cells.groupby("label", sort=False)["n"].sum()
    by_relevance = cells.groupby("relevance", sort=False)["n"].sum()
    sums = [(len(relevances), row, n) for row, n in enumerate(by_label)]
    sums += [(column, len(labels), n) for column, n in enumerate(by_relevance)]
    sums.append((len(relevances), len(labels), cells["n"].sum()))
    # As a trace they would fade when a cell is clicked.
    return [{"x": x, "y": y, "text": f"{n:,}", "showarrow": False} for x, y, n in sums]


def _axis(title: str, names: list[str]) -> dict[str, Any]:
    return named([*map(plain, names), "all"], title=title, fixedrange=True, showgrid=False)


def kappa_figure(
    grid: pd.DataFrame, *, tau: int | None = None, relevant_from: int | None = None, label_rank: int | None = None
) -> go.Figure:
    """Kappa at every tau (to the right) and judgment threshold (upwards), a panel for each label rank.

    Parameters
    ----------
    grid : tau, relevant_from, label_rank (null for printed labels), kappa, kappa_low, kappa_high, n; not empty
    tau, relevant_from, label_rank : the chosen cut, which is framed
    """
    ranks = grid["label_rank"].astype("Int64").fillna(0)
    panels = list(dict.fromkeys(ranks))
    taus, cuts = sorted(set(grid["tau"])), sorted(set(grid["relevant_from"]))
    figure = go.Figure()
    last = str(len(panels) if len(panels) > 1 else "")
    layout: dict[str, Any] = {
        "annotations": [],
        "xaxis": _ticks("tau (smallest grade that counts)", taus) | {"anchor": f"y{last}"},
    }
    for place, rank in enumerate(panels):
        part, name = grid[ranks == rank], str(place + 1 if place else "")
        top, bottom = 1 - place / len(panels), 1 - (place + 1 - GAP) / len(panels)
        layout[f"yaxis{name}"] = _ticks("judgment at least", cuts) | {"domain": [bottom, top]}
        title = f"label rank {rank}" if rank else "as printed"
        layout["annotations"] += [_title(title, top), *_undefined(part, f"y{name}")]
        figure.add_trace(_kappas(part, f"y{name}"))
        here = (part["tau"] == tau) & (part["relevant_from"] == relevant_from)
        if here.any() and rank == (label_rank or 0):
            marker = {"symbol": "square-open", "size": 30, "color": CHOSEN, "line": {"width": 3}}
            figure.add_scatter(
                x=[tau], y=[relevant_from], mode="markers", marker=marker, hoverinfo="skip", yaxis=f"y{name}"
            )
    figure.update_layout(
        sized(BESIDES + max(1, len(panels)) * (60 + ROW * len(cuts)), above=None) | layout,
        coloraxis={"colorscale": PAPER, "cmin": 0, "cmax": max(0.01, grid["kappa"].max()), "showscale": False},
    )
    return described(figure, kappa_alternative(grid))


def _ticks(title: str, values: list[int]) -> dict[str, Any]:
    shown = {"tickmode": "array", "tickvals": values, "showgrid": False, "zeroline": False, "fixedrange": True}
    return shown | {"title": title, "range": [values[0] - 0.5, values[-1] + 0.5], "automargin": True}


def _title(text: str, top: float) -> dict[str, Any]:
    """What stands above a panel."""
    place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": top, "yanchor": "bottom"}
    return place | {"text": text, "showarrow": False}


def _undefined(part: pd.DataFrame, axis: str) -> list[dict[str, Any]]:
    """Plotly writes nothing into a cell without a value."""
    undefined = part[part["kappa"].isna()]
    return [
        {"x": x, "y": y, "yref": axis, "text": UNDEFINED, "showarrow": False}
        for x, y in zip(undefined["tau"], undefined["relevant_from"], strict=True)
    ]


def _kappas(part: pd.DataFrame, axis: str) -> go.Heatmap:
    return go.Heatmap(
        yaxis=axis,
        texttemplate="%{z:.2f}",
        textfont=INK,
        x=part["tau"],
        y=part["relevant_from"],
        z=part["kappa"],
        customdata=[
            [f"{low:.3f} to {high:.3f}" if low == low else "no interval", f"{n:,}"]
            for low, high, n in zip(part["kappa_low"], part["kappa_high"], part["n"], strict=True)
        ],
        hovertemplate="tau %{x}, judgment ≥ %{y}<br>kappa %{z:.3f}<br>%{customdata[0]}<br>n = %{customdata[1]}"
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
        return "Kappa is undefined at every tau and threshold."
    best, worst = known.loc[known["kappa"].idxmax()], known.loc[known["kappa"].idxmin()]
    ends = [
        f"{what} is {row['kappa']:.3f} at tau {row['tau']:.0f}, judgment >= {row['relevant_from']:.0f}"
        + ("" if pd.isna(row["label_rank"]) else f", label rank {row['label_rank']:.0f}")
        for what, row in (("The largest", best), ("the smallest", worst))
    ]
    return f"Cohen's kappa at {len(grid)} pairs of tau and threshold. {'; '.join(ends)}."


def per_query_figure(
    per_query: pd.DataFrame, kappa: float, interval: tuple[float, float] | None, at: str = ""
) -> go.Figure:
    """Each query's kappa, as it is and shrunk, smallest first, beside that of all queries together with its interval.

    Parameters
    ----------
    per_query : query_id, n, kappa, and where there are any kappa_shrunk and its ends; an undefined kappa leaves a gap
    kappa, interval : of all queries together
    at : the cut, for the axis
    """
    shrunk = "kappa_shrunk" in per_query
    rows = per_query.sort_values([*(["kappa_shrunk"] if shrunk else []), "kappa"], kind="stable", ignore_index=True)
    rows, which = spread(rows)
    names = [plain(name) for name in rows["query_id"]]
    figure = go.Figure()
    if shrunk:
        figure.add_scatter(x=names, **_shrunk(rows))
    figure.add_scatter(
        x=names,
        y=rows["kappa"],
        name="kappa",
        mode="markers",
        marker={"size": 8, "symbol": "diamond"},
        customdata=[[name, f"{n:,}"] for name, n in zip(names, rows["n"], strict=True)],
        hovertemplate="%{customdata[0]}<br>kappa %{y:.3f}<br>%{customdata[1]} passages<extra></extra>",
    )
    figure.update_layout(
        sized(400),
        # As many names as there is room for.
        xaxis={"title": f"queries{which}", "type": "category", "tickangle": -60, "automargin": True, "showgrid": False},
        yaxis={"title": in_lines(f"Cohen's kappa{f', {at}' if at else ''}"), "automargin": True},
        showlegend=True,
        **_together(kappa, interval),
    )
    return described(figure, per_query_alternative(per_query, kappa))


def _together(kappa: float, interval: tuple[float, float] | None) -> dict[str, Any]:
    """A band and a line right across, at the kappa of all queries together."""
    across: dict[str, Any] = {"xref": "paper", "x0": 0, "x1": 1}
    shapes, notes = [], []
    if interval:
        band = {"type": "rect", "y0": interval[0], "y1": interval[1], "line": {"width": 0}}
        shapes.append(across | band | {"fillcolor": "gray", "opacity": 0.2, "layer": "below"})
    if kappa == kappa:
        shapes.append(across | {"type": "line", "y0": kappa, "y1": kappa, "line": {"dash": "dash", "color": "gray"}})
        place = {"xref": "paper", "x": 1, "y": kappa, "xanchor": "right", "yanchor": "bottom"}
        notes.append(place | {"text": "all together", "showarrow": False})
    return {"shapes": shapes, "annotations": notes}


def _shrunk(rows: pd.DataFrame) -> dict[str, Any]:
    """Shrunk kappas with their intervals, behind the others."""
    return {
        "y": rows["kappa_shrunk"],
        "error_y": bars(rows["kappa_shrunk"], rows["kappa_shrunk_low"], rows["kappa_shrunk_high"], width=0),
        "name": "shrunk, with 95% interval",
        "mode": "markers",
        "marker": {"size": 6, "symbol": "circle-open", "color": QUIET},
        "hovertemplate": "shrunk %{y:.3f}<extra></extra>",
    }


def per_query_alternative(per_query: pd.DataFrame, kappa: float) -> str:
    """The kappas of the queries in words."""
    known = per_query[per_query["kappa"].notna()]
    if not len(known):
        return "Kappa is undefined for every query."
    low, high = known.loc[known["kappa"].idxmin()], known.loc[known["kappa"].idxmax()]
    return (
        f"Cohen's kappa of {len(known)} of {counted({'queries': len(per_query)})}, from "
        f"{low['kappa']:.3f} ({low['query_id']}) to "
        f"{high['kappa']:.3f} ({high['query_id']}); all together {kappa:.3f}."
    )
