"""Our copy of Plotly, which draws figures in browsers: its charts with axes alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PLOTLY = next((Path(__file__).parent / "plotly").glob("plotly-cartesian-*.min.js"))
"""Plotly's bundle of that name as it is on npm, of the version that the Python package plotly writes figures for."""


@cache
def plotly_code() -> str:
    """The script."""
    return PLOTLY.read_text(encoding="utf-8")
