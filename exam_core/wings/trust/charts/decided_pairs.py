"""Pairs of runs by what tells them apart: the judgments, the grader, both or neither."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from exam_core.charts.chart_layout import described, legend, sized

DRAWN = "rgba(0, 0, 0, 0.3)"
PARTS = {
    "both": ("#6baed6", ""),
    "reference_only": ("#e6c34d", "/"),
    "board_only": ("#f0a35e", "."),
    "opposite": ("#d99bc0", "x"),
    "neither": ("#c8c8c8", ""),
}
"""Colour and pattern of each part of a bar, from the left; light, so that dark numbers can be read by day and night."""


def fidelity_figure(rows: pd.DataFrame, words: Mapping[str, str]) -> go.Figure:
    """A bar for each adjustment: how many pairs of runs differ significantly by which side.

    Parameters
    ----------
    rows : adjustment and a column for each of `PARTS`
    words : what these columns mean
    """
    figure = go.Figure()
    for name, (ink, pattern) in PARTS.items():
        figure.add_bar(
            x=rows[name],
            y=[_bar(adjustment) for adjustment in rows["adjustment"]],
            orientation="h",
            name=words[name],
            text=[f"{n:,}" if n else "" for n in rows[name]],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            insidetextfont={"color": "#1a1a1a"},
            marker={
                "color": ink,
                "pattern": {"shape": pattern, "fillmode": "overlay", "fgcolor": DRAWN, "solidity": 0.15},
            },
            hovertemplate=f"%{{y}}<br>{words[name]}: %{{x:,}} pairs<extra></extra>",
        )
    figure.update_layout(
        sized(320, top=60),
        barmode="stack",
        bargap=0.35,
        xaxis={"title": "pairs of runs", "automargin": True},
        yaxis={"automargin": True, "autorange": "reversed"},
        legend=legend(traceorder="normal"),
    )
    return described(figure, fidelity_alternative(rows, words))


def fidelity_alternative(rows: pd.DataFrame, words: Mapping[str, str]) -> str:
    """The chart in words."""
    told = [
        f"{_bar(row['adjustment'])}: {', '.join(f'{row[name]:,} {words[name]}' for name in PARTS)}"
        for row in rows.to_dict("records")
    ]
    return f"Pairs of runs that differ significantly, by side. {'; '.join(told)}."


def _bar(adjustment: str) -> str:
    return "unadjusted" if adjustment == "none" else adjustment
