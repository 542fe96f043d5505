"""Where the browser has Plotly from: our own copy of its charts with axes, a third of all that Plotly can draw."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from exam_core.charts.plotly_code import PLOTLY
from pages.mending import PLAIN

SCRIPTS = Path(st.__file__).parent / "static" / "static" / "js"
_MAKES_PLOTLY_GLOBAL = b"window.Plotly="
_ALL_IS_CALLED = b"//# allFunctionsCalledOnLoad\n"


@cache
def libraries(scripts: Path = SCRIPTS) -> list[str]:
    """The files among Streamlit's scripts that may have Plotly: ours, unless it is off, and that of Streamlit's charts.

    Our server answers for the first (`script_bundle.py`). It is not there where a page is started by itself; then the
    second one, which is larger, is read.
    """
    paths = [path for path in scripts.glob("PlotlyChart.*.js") if _MAKES_PLOTLY_GLOBAL in path.read_bytes()]
    return [*([] if PLAIN else [PLOTLY.name]), *(path.name for path in paths)]


@cache
def script() -> bytes:
    """Our copy as it is sent: Chromium compiles all of it while the page does other things.

    Without the first line it skips each function then, and the page waits while it is read again. Others ignore it.
    """
    return _ALL_IS_CALLED + PLOTLY.read_bytes()
