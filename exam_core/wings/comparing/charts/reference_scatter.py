"""A leaderboard against its reference, run by run: scores with their line and residuals, and the ranks as slopes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.charts.chart_layout import at_edge, described, margin, named, sized
from exam_core.charts.colours import DEMOTED, PROMOTED, QUIET
from exam_core.charts.leaderboard_lines import in_lines, on_axis, plain
from exam_core.wording import counted, number, rank_text

NAMED = 6
"""Runs that are named beside their points, or whose slopes stand out."""
ROW = 17
"""Height of a rank in a slope chart, in pixels."""
LEVELS = 3
"""Heights of the names in a scatter plot."""
EDGE = 0.15
"""Share of the width in which a name begins or ends at its point, so that the edge does not cut it."""
WIDEST = 16
"""Letters in a line of a heading: two of them fit side by side on a telephone."""
TOGETHER = 2
"""Names that are written out of runs that share a rank."""


def scatter_figure(rows: pd.DataFrame, *, x: str, y: str, of_ranks: bool = False, identity: bool = False) -> go.Figure:
    """Scores against the reference with one standard error around them, the line, and below what it leaves over.

    The runs farthest from the line are named.

    Parameters
    ----------
    rows : run_id, score, stderr, reference, reference_stderr, expected, residual, rank, reference_rank
    x, y : titles of the axes
    of_ranks : the reference has ranks: the best stands on the right, so that agreement rises
    identity : the line is that of equal scores, and not fitted
    """
    known = rows.dropna(subset=["score", "reference"]).sort_values("reference")
    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.04)
    figure.add_scatter(
        x=known["reference"],
        y=known["expected"],
        mode="lines",
        line={"color": QUIET, "dash": "dash", "width": 2},
        name="equal scores" if identity else "least-squares line",
        hoverinfo="skip",
        row=1,
        col=1,
    )
    far = farthest(known, "residual")
    for name, mine, symbol, size in (
        ("runs", known[~known["run_id"].isin(far)], "circle", 8),
        ("farthest from the line", known[known["run_id"].isin(far)], "diamond", 10),
    ):
        _add_points(figure, mine, name, {"symbol": symbol, "size": size}, named=symbol == "diamond")
    _name_runs(figure, known, far, flipped=of_ranks)
    _add_stems(figure, known)
    figure.update_xaxes(automargin=True, zeroline=False)
    if of_ranks and len(known):
        figure.update_xaxes(range=[known["reference"].max() + 1, known["reference"].min() - 0.9])
    figure.update_xaxes(title=in_lines(x), row=2)
    figure.update_yaxes(automargin=True, zeroline=False)
    figure.update_yaxes(title=in_lines(y), row=1)
    figure.update_yaxes(title="residual", row=2)
    figure.update_layout(
        sized(600, top=50),
        legend=at_edge(),
    )
    return described(figure, scatter_alternative(rows, x=x, y=y, identity=identity))


def farthest(rows: pd.DataFrame, column: str) -> list[str]:
    """The few runs whose value is farthest from 0, the farthest first; a tie at the end stays out as a whole."""
    size = rows.set_index("run_id")[column].abs().round(9)
    size = size[size > 0].sort_values(ascending=False, kind="stable")
    if len(size) > NAMED and size.iloc[0] > size.iloc[NAMED]:
        size = size[size > size.iloc[NAMED]]
    return [str(run) for run in size.index[:NAMED]]


def _add_points(figure: go.Figure, rows: pd.DataFrame, name: str, marker: dict[str, object], *, named: bool) -> None:
    for row, column in ((1, "score"), (2, "residual")):
        errors = {
            f"error_{axis}": {"type": "data", "array": rows[name], "thickness": 1, "width": 2, "color": QUIET}
            for axis, name in (("y", "stderr"), ("x", "reference_stderr"))
        }
        figure.add_scatter(
            x=rows["reference"],
            y=rows[column],
            mode="markers",
            name=name,
            legendgroup=name,
            showlegend=row == 1 and len(rows) > 0,
            marker=marker | {"color": DEMOTED if named else PROMOTED},
            customdata=_told(rows),
            hovertemplate=(
                "%{customdata[0]}<br>score %{customdata[1]}<br>expected %{customdata[2]}, residual %{customdata[3]}"
                "<br>rank %{customdata[4]}, in the reference %{customdata[5]}<extra></extra>"
            ),
            **(errors if row == 1 else {}),
            row=row,
            col=1,
        )


def _name_runs(figure: go.Figure, known: pd.DataFrame, far: list[str], *, flipped: bool) -> None:
    """Names above or below all points, at heights by turns so that neighbours don't cover each other."""
    if known.empty:
        return
    error = known["stderr"].fillna(0)
    low, high = (known["score"] - error).min(), (known["score"] + error).max()
    step = 0.07 * ((high - low) or 1.0)
    figure.update_yaxes(range=[low - (LEVELS + 1) * step, high + (LEVELS + 1) * step], row=1)
    across = (known["reference"] - known["reference"].min()) / (np.ptp(known["reference"]) or 1.0)
    named = known.assign(across=1 - across if flipped else across)[known["run_id"].isin(far)]
    for side, edge in ((1, high), (-1, low)):
        for place, run in enumerate(named[named["residual"] * side > 0].itertuples()):
            figure.add_annotation(
                x=run.reference,
                y=run.score + side * (0 if pd.isna(run.stderr) else run.stderr),
                text=plain(run.run_id),
                axref="x",
                ayref="y",
                ax=run.reference,
                ay=edge + side * step * (1 + place % LEVELS),
                xanchor="left" if run.across < EDGE else "right" if run.across > 1 - EDGE else "center",
                arrowwidth=1,
                arrowhead=0,
                arrowcolor=QUIET,
                font={"size": 12},
            )


def _told(rows: pd.DataFrame) -> list[list[str]]:
    """What hovering says of each run."""
    return [
        [
            plain(run.run_id),
            number(run.score, ".3f") + ("" if pd.isna(run.stderr) else f" ± {run.stderr:.3f}"),
            number(run.expected, ".3f"),
            number(run.residual, "+.3f"),
            number(run.rank, "g"),
            number(run.reference_rank, "g"),
        ]
        for run in rows.itertuples()
    ]


def _add_stems(figure: go.Figure, rows: pd.DataFrame) -> None:
    """A line from 0 to each residual."""
    figure.add_scatter(
        x=[place for x in rows["reference"] for place in (x, x, None)],
        y=[end for residual in rows["residual"] for end in (0.0, residual, None)],
        mode="lines",
        line={"color": QUIET, "width": 1},
        showlegend=False,
        hoverinfo="skip",
        row=2,
        col=1,
    )
    figure.add_hline(y=0, line={"width": 1, "color": QUIET}, row=2, col=1)


def scatter_alternative(rows: pd.DataFrame, *, x: str, y: str, identity: bool) -> str:
    """The chart in words: what is drawn, and which runs are farthest from the line."""
    known = rows.dropna(subset=["residual"])
    if known.empty:
        return "No line can be drawn: the scores or the reference's values are all equal."
    line = "the line of equal scores" if identity else "the least-squares line"
    residual = known.set_index("run_id")["residual"]
    listed = ", ".join(f"{run} {residual[run]:+.3f}" for run in farthest(known, "residual"))
    end = f"Farthest from {line}: {listed}." if listed else f"All are on {line}."
    return f"{y} of {counted({'runs': len(known)})} against {x}. {end}"


def slope_figure(rows: pd.DataFrame, *, reference: str, title: str) -> go.Figure:
    """Ranks as slopes, from the reference on the left to the leaderboard on the right.

    The runs that are displaced most stand out and are named at both ends.

    Parameters
    ----------
    rows : run_id, rank, reference_rank, displacement
    reference, title : what the two sides are
    """
    known = rows.dropna(subset=["rank", "reference_rank"])
    far = farthest(known, "displacement")
    figure = go.Figure()
    _add_slopes(figure, known[~known["run_id"].isin(far)], "others", {"color": QUIET, "width": 1}, "circle")
    moved = known[known["run_id"].isin(far)]
    promoted, demoted = moved[moved["displacement"] > 0], moved[moved["displacement"] < 0]
    _add_slopes(figure, promoted, "promoted most", {"color": PROMOTED, "width": 3}, "triangle-up")
    _add_slopes(figure, demoted, "demoted most", {"color": DEMOTED, "width": 3, "dash": "dash"}, "triangle-down")
    # An axis is drawn only where it has a trace.
    figure.add_scatter(x=[1], y=[1], yaxis="y2", mode="markers", opacity=0, showlegend=False, hoverinfo="skip")
    last = max([len(known), *known["rank"], *known["reference_rank"]]) + 0.7  # ranks of runs that are not among them
    side = {"range": [last, 0.3], "automargin": True, "zeroline": False, "showgrid": False, "tickmode": "array"}
    figure.update_layout(
        xaxis=named(
            [in_lines(reference, WIDEST), in_lines(title, WIDEST)], tickangle=0, range=[-0.02, 1.02], side="top"
        ),
        yaxis=side | _names(known, "reference_rank", ", "),
        yaxis2=side | _names(moved, "rank", "<br>") | {"overlaying": "y", "side": "right"},
        legend=at_edge(top=False),
        margin=margin(30) | {"b": 50},
        height=150 + ROW * max(10, round(last)),
    )
    return described(figure, slope_alternative(rows, reference=reference, title=title))


def _add_slopes(figure: go.Figure, rows: pd.DataFrame, name: str, line: dict[str, object], symbol: str) -> None:
    told = [
        [plain(run.run_id), rank_text(run.reference_rank), rank_text(run.rank), f"{run.displacement:+g}"]
        for run in rows.itertuples()
    ]
    figure.add_scatter(
        x=[end for _ in range(len(rows)) for end in (0, 1, None)],
        y=[end for run in rows.itertuples() for end in (run.reference_rank, run.rank, None)],
        mode="lines+markers",
        name=name,
        line=line,
        marker={"symbol": symbol, "size": 5 if name == "others" else 10, "color": line["color"]},
        customdata=[row for row in told for _ in range(3)],
        hovertemplate=(
            "%{customdata[0]}<br>rank %{customdata[1]} in the reference, %{customdata[2]} here (%{customdata[3]})"
            "<extra></extra>"
        ),
        showlegend=len(rows) > 0,
    )


def _names(rows: pd.DataFrame, column: str, between: str) -> dict[str, list[object]]:
    """Ticks with the names of the runs at each rank; those that share one stand together."""
    ticks: dict[str, list[object]] = {"tickvals": [], "ticktext": []}
    for rank, names in rows.groupby(column)["run_id"]:
        more = f" + {len(names) - TOGETHER}" if len(names) > TOGETHER else ""
        ticks["tickvals"].append(rank)
        ticks["ticktext"].append(between.join(on_axis(sorted(names)[:TOGETHER])) + more)
    return ticks


def slope_alternative(rows: pd.DataFrame, *, reference: str, title: str) -> str:
    """The chart in words: the largest displacements."""
    known = rows.dropna(subset=["displacement"])
    if known.empty:
        return "There is no order to compare: all scores are equal."
    by_run = known.set_index("run_id")
    listed = ", ".join(
        f"{run} from {rank_text(by_run.loc[run, 'reference_rank'])} to {rank_text(by_run.loc[run, 'rank'])}"
        for run in farthest(known, "displacement")
    )
    end = f"Displaced most: {listed}." if listed else "Every run keeps its rank."
    return f"Ranks of {counted({'runs': len(known)})} in {reference} and by {title}. {end}"
