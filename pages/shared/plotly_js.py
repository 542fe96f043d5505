"""Where the browser has Plotly from: the copy that is Streamlit's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
_MAKES_PLOTLY_GLOBAL = b"window.Plotly="


@cache
def library(scripts: Path = SCRIPTS) -> str | None:
    """The file that Streamlit's own charts have Plotly from; None where this Streamlit has it in another way."""
    found = [path for path in scripts.glob("PlotlyChart.*.js") if _MAKES_PLOTLY_GLOBAL in path.read_bytes()]
    return found[0].name if len(found) == 1 else None
