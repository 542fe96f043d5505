"""Figures for a page that stands alone: no server, no network."""

from __future__ import annotations

import base64
import hashlib
import html
import re

import plotly.graph_objects as go

from exam_core.charts.chart_layout import words_of
from exam_core.charts.colours import SERIES
from exam_core.charts.plotly_code import plotly_code

_NOT_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_FIGURE = re.compile(r'<script>(drawExamboardFigure\("[^"<]*", [^<]*\);)</script>')
_DRAWING = """
function drawExamboardFigure(name, figure) {
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function draw() {
    var style = getComputedStyle(document.documentElement), layout = Object.assign({}, figure.layout);
    function colour(name, otherwise) { return style.getPropertyValue(name).trim() || otherwise; }
    var ink = colour("--ink", "#1b2430"), line = colour("--line", "#c9d0d9"), ground = colour("--ground", "#fff");
    layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.font = Object.assign({}, layout.font, {color: ink});
    layout.modebar = {bgcolor: "rgba(0,0,0,0)", color: ink, activecolor: ink};
    layout.hoverlabel = {bgcolor: ground, bordercolor: line, font: {color: ink}};
    Object.keys(layout).filter(function (key) { return /^[xy]axis/.test(key); }).forEach(function (key) {
      layout[key] = Object.assign({}, layout[key], {gridcolor: line, linecolor: line, zerolinecolor: line});
    });
    var removed = ["sendChartToCloud", "select2d", "lasso2d"];
    Plotly.react(name, figure.data, layout, {responsive: true, displaylogo: false, modeBarButtonsToRemove: removed});
  }
  draw();
  dark.addEventListener("change", draw);
}
"""
"""Colours are those of the page, which change where a reader changes from light to dark."""


def drawing_code() -> str:
    """The scripts that draw figures, whole, for the head of a page."""
    return f"<script>{plotly_code()}</script><script>{_DRAWING}</script>"


def page_policy(written: str) -> str:
    """A Content-Security-Policy for a page that stands alone: it loads nothing, and runs only what draws figures.

    Parameters
    ----------
    written : the page's HTML, of which `embedded` wrote the figures
    """
    code = (plotly_code(), _DRAWING, *_FIGURE.findall(written))
    digests = (hashlib.sha256(one.encode()).digest() for one in code)
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )


def embedded(figure: go.Figure, name: str) -> str:
    """A figure as HTML; `drawing_code` must stand before it.

    Text and grid have the colours that the page's root names as --ink, --line and --ground.

    Parameters
    ----------
    name : id of the element, unique on the page
    """
    drawn = go.Figure(figure).update_layout(template="plotly_white", colorway=SERIES)
    spec = drawn.to_json() or ""
    for character, safe in _NOT_IN_SCRIPTS.items():
        spec = spec.replace(character, safe)
    place = html.escape(name)
    return (
        f'<div id="{place}" class="chart" role="img" aria-label="{html.escape(words_of(figure))}"></div>'
        f'<script>drawExamboardFigure("{place}", {spec});</script>'
    )
