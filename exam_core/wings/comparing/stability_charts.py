"""Charts of resampled leaderboards: rank intervals, correlation by size, and swapped pairs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.charts.chart_layout import (
    QUIET,
    axis,
    colour,
    dash,
    of_ranks,
    size_layout,
    translucent,
    with_description,
)
from exam_core.charts.leaderboard_lines import SYMBOLS, escape_name, in_lines, on_axis
from exam_core.wings.comparing.stability import first_and_width
from exam_core.wording import counted, number, reference_in_words

HEIGHT, MANY = 420, 20
"""Pixels of a chart of all runs; runs from which names stand upright."""
COEFFICIENTS = {"kendall": "Kendall's tau-b", "spearman": "Spearman's rho"}
BY_LABEL = {label: name for name, label in COEFFICIENTS.items()}
"""Coefficients by what the page and its address call them."""
SIZES = {"bank-size": "questions of each query", "queries": "queries"}


def ranks_figure(rows: pd.DataFrame, title: str = "") -> go.Figure:
    """Rank of each run as it is, the median of the draws, and 95% of them, the best on top and on the left.

    `rows` have run_id, rank, rank_low, rank_median, rank_high, first, tier; best first.
    """
    names, figure = on_axis(rows["run_id"]), go.Figure()
    figure.add_scatter(
        x=[name for name in names for _ in range(3)],
        y=[end for row in rows.itertuples() for end in (row.rank_low, row.rank_high, None)],
        mode="lines",
        line={"width": 5, "color": QUIET},
        name="95% of the resamplings",
        hoverinfo="skip",
    )
    groups = [[escape_name(row.run_id), row.rank_low, row.rank_high, row.first] for row in rows.itertuples()]
    hover = (
        "%{customdata[0]}<br>95% of the resamplings: %{customdata[1]:.1f} to %{customdata[2]:.1f}<br>"
        "first in %{customdata[3]:.0%}"
    )
    for name, column, symbol in (("median", "rank_median", "line-ew-open"), ("rank", "rank", "diamond")):
        figure.add_scatter(
            x=names,
            y=rows[column],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 14 if column == "rank_median" else 9, "line": {"width": 2}},
            customdata=groups,
            hovertemplate=f"{hover}<br>{name} %{{y:.1f}}<extra></extra>",
        )
    worst = max([len(rows), *rows["rank"].dropna(), *rows["rank_high"].dropna()])
    figure.update_layout(
        size_layout(HEIGHT, top=30, above=1.0),
        xaxis={
            "type": "category",  # of names without room Plotly leaves some out
            "categoryorder": "array",
            "categoryarray": names,
            "range": [-0.6, len(names) - 0.4],
            "tickangle": -90 if len(names) > MANY else -60,
            "automargin": True,
        },
        yaxis=of_ranks(in_lines(f"rank{f' by {title}' if title else ''} (1 is best)"), worst),
    )
    return with_description(figure, ranks_alternative(rows))


def ranks_alternative(rows: pd.DataFrame) -> str:
    """The chart in words."""
    known = rows[rows["rank"].notna()]
    if known.empty:
        return "No run has a rank."
    return f"Ranks of {counted({'runs': len(known)})} over the resamplings. {first_and_width(known)}"


def curve_figure(
    rows: pd.DataFrame, of: str, coefficient: str = "kendall", title: str = "", called: Mapping[str, str] | None = None
) -> go.Figure:
    """Correlation against the number of questions or queries, with the band of 95% of the subsets.

    One plot below the other for each leaderboard that is compared with. `rows` have against, size, and for the
    coefficient its mean, ..._low and ..._high; `called` has the names of graders by their ids.
    """
    names = list(dict.fromkeys(rows["against"]))
    figure = make_subplots(
        rows=max(1, len(names)),
        shared_xaxes=True,
        vertical_spacing=0.12,
        subplot_titles=[escape_name(_against(name, called)) for name in names],
    )
    for row, name in enumerate(names, 1):
        mine = rows[rows["against"] == name]
        low, high = f"{coefficient}_low", f"{coefficient}_high"
        banded = mine.dropna(subset=[low, high])
        figure.add_scatter(
            x=[*banded["size"], *banded["size"][::-1]],
            y=[*banded[high], *banded[low][::-1]],
            fill="toself",
            fillcolor=translucent(row - 1, 0.2),
            line={"width": 0},
            mode="lines",
            name="95% of the subsets",
            showlegend=row == 1,
            legendgroup="band",
            hoverinfo="skip",
            row=row,
            col=1,
        )
        figure.add_scatter(
            x=mine["size"],
            y=mine[coefficient],
            mode="markers+lines",
            line={"width": 2, "color": colour(row - 1), "dash": dash(row - 1)},
            marker={"size": 7, "symbol": SYMBOLS[row - 1]},
            name="mean of the subsets",
            showlegend=row == 1,
            legendgroup="mean",
            customdata=mine[[low, high]].to_numpy(),
            hovertemplate=(
                f"%{{x}} {SIZES[of]}<br>%{{y:.3f}} "
                "(95%: %{customdata[0]:.3f} to %{customdata[1]:.3f})<extra></extra>"
            ),
            row=row,
            col=1,
        )
    figure.update_xaxes(automargin=True, zeroline=False)
    figure.update_xaxes(title=SIZES[of], row=max(1, len(names)))
    figure.update_yaxes(title=in_lines(_of(COEFFICIENTS[coefficient], title), 30), automargin=True, zeroline=True)
    figure.update_layout(size_layout(90 + 270 * max(1, len(names)), top=80, above=1.07))
    return with_description(figure, curve_alternative(rows, of, coefficient, called))


def curve_alternative(
    rows: pd.DataFrame, of: str, coefficient: str = "kendall", called: Mapping[str, str] | None = None
) -> str:
    """The chart in words: where the curves begin, are half way, and end."""
    sentences = []
    for name, mine in rows.groupby("against", sort=False):
        some = mine.iloc[sorted({0, len(mine) // 2, len(mine) - 1})]
        values = ", ".join(
            f"{number(value, '.3f')} with {size}" for size, value in zip(some["size"], some[coefficient], strict=True)
        )
        sentences.append(f"{COEFFICIENTS[coefficient]} {_against(str(name), called)}: {values} {SIZES[of]}.")
    return " ".join(sentences)


def swaps_figure(rows: pd.DataFrame, scores_of: str) -> go.Figure:
    """Pairs of runs by the difference of their scores: in the same order, tied on one side, and swapped.

    `rows` have low, high, pairs, swaps, tied_once.

    Source: Lin & Demner-Fushman 2005 (POURPRE), figure 4.
    """
    figure = go.Figure()
    parts = {
        "same order": (rows["pairs"] - rows["swaps"] - rows["tied_once"], ""),
        "tied on one side": (rows["tied_once"], "."),
        "swapped": (rows["swaps"], "/"),
    }
    for name, (counts, pattern) in parts.items():
        figure.add_bar(
            x=(rows["low"] + rows["high"]) / 2,
            width=rows["high"] - rows["low"],
            y=counts,
            name=name,
            marker={"pattern": {"shape": pattern}},
            customdata=rows[["low", "high", "pairs"]].to_numpy(),
            hovertemplate=(
                f"difference from %{{customdata[0]:.3g}} to below %{{customdata[1]:.3g}}<br>{name}: %{{y}} of "
                "%{customdata[2]} pairs<extra></extra>"
            ),
        )
    figure.update_layout(
        size_layout(400),
        barmode="stack",
        bargap=0,
        xaxis=axis(in_lines(f"difference of scores in {scores_of}")),
        yaxis={"title": "pairs of runs", "automargin": True},
    )
    return with_description(figure, swaps_alternative(rows, scores_of))


def swaps_alternative(rows: pd.DataFrame, scores_of: str) -> str:
    """The chart in words."""
    swapped = rows[rows["swaps"] > 0]
    pairs, swaps = rows["pairs"].sum(), rows["swaps"].sum()
    text = f"{swaps:,} of {pairs:,} pairs of runs {'is' if swaps == 1 else 'are'} swapped"
    if swapped.empty:
        return f"{text}."
    return f"{text}; none of those whose scores in {scores_of} are {swapped['high'].iloc[-1]:.3g} or more apart."


def _of(what: str, title: str) -> str:
    return f"{what} of {title}" if title else what


def _against(name: str, called: Mapping[str, str] | None) -> str:
    return f"with {'the leaderboard of all' if name == 'leaderboard' else reference_in_words(name, called)}"
