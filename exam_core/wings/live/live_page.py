"""The HTML of a live page."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from exam_core import __version__
from exam_core.analysis.leaderboard import ROWS
from exam_core.analysis.shared_columns import DISPLACED
from exam_core.charts.plotly_code import plotly_code
from exam_core.reports.methods_paragraph import bibtex
from exam_core.table_text import UNDEFINED, declared_html
from exam_core.texts.marking import MARKED
from exam_core.wings.live.cube import Cube
from exam_core.wings.live.data import first_methods, live_data, live_values, packed
from exam_core.wings.live.passages import QueryPassages, about_passages, live_passages


class ChartKind(NamedTuple):
    """What the axis of a chart is called, and what is said of it."""

    axis: str
    description: str


_SCORE = "score ± standard error"
KINDS = {
    "normalised": ChartKind(f"re-normalised {_SCORE}", "Re-normalised scores"),
    "raw": ChartKind(_SCORE, "Scores"),
    "ranks": ChartKind("rank with 95% interval, the best on top", "Ranks"),
}
"""By what the page's state calls it."""


def first_boards(data: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The boards of the first choice, each with the place of its grading mode."""
    first, at = data["first"], data["at"]
    rest = ",".join(str(first[name]) for name in ("measure", "tau", "labelRank"))
    keys = ((mode, f"{mode},{rest}") for mode in first["modes"])
    return [(mode, data["boards"][at[key]]) for mode, key in keys if key in at]


_PLACE = Path(__file__).parent / "page"
SCRIPTS = (
    *("data", "numbers", "choice", "tables", "board", "agreement", "outliers", "run", "passages", "notes", "chart"),
    *("methods", "saving", "start"),
)
"""Files that make the page's one script, in this order: the last one starts it."""
TABLES = {
    "headline": "Agreement of each grading mode with the reference and the judgments",
    "board": "Runs and their scores",
    "outliers": "Runs and their displacements from the reference, the largest of any mode first",
    "taus": "Correlations and kappa at every tau",
}
"""Captions of the tables that the choices fill, by id."""
FILTER = (
    "Shows runs whose name contains one of these words; -prf hides runs, idst* matches the beginning of a name. Hidden "
    "runs still count in ranks, correlations and re-normalised scores."
)
RINGED = f"Significantly displaced runs have a ring in the chart: {DISPLACED}."
PASSAGES = (
    '<section id="passages-section" hidden><h3 id="passages-heading" tabindex="-1"></h3>'
    '<p id="passages-query" dir="auto"></p><p class="boxes"><label>Grades of <select id="by"></select></label>'
    '<label>Words marked for question <select id="question"></select></label></p>'
    f'<p id="passages-marked" class="quiet">{html.escape(MARKED)}</p><p><span id="passages-count"></span> '
    '<button type="button" id="close-passages">Close</button></p><ol id="passages" class="passages"></ol></section>'
)
"""Where a run's passages for a query are shown."""
CELL = (
    '<section id="cell-section" hidden><h3 id="cell-heading" tabindex="-1"></h3><p><span id="cell-count"></span> '
    f'<button type="button" id="close-cell">Close</button></p><p class="quiet">{html.escape(MARKED)}</p>'
    '<ol id="cell" class="passages"></ol></section>'
)
"""Where the passages of a cell of the matrix of labels and judgments are shown."""
VIEWS = {"normalised": "re-normalised scores", "raw": "scores", "ranks": "ranks with intervals"}
FIRST = 'if (window.DecompressionStream) document.documentElement.className = "";'
"""Runs before anything is painted: in a browser that can open the data, the table for others is not shown."""
ORDERS = {"reference": "the reference", "own": "the first leaderboard"}


def live_page(
    cube: Cube, first: Mapping[str, Any], facts: Mapping[str, str], texts: Iterable[QueryPassages] | None = None
) -> str:
    """The page as HTML.

    Parameters
    ----------
    first : the choice that it opens with, by the names of its state: `modes`, `measure`, `tau`, `labelRank`,
        `reference`, as places in the axes
    facts : what it was made from, by name: data, command, day
    texts : passages of each query of the cube; with None no text is in the page
    """
    data = live_data(cube) | {"first": dict(first)}
    data["charts"] = {name: {"axis": kind.axis, "said": kind.description} for name, kind in KINDS.items()}
    data |= {} if texts is None else {"passages": about_passages(cube)}
    script = "\n".join((_PLACE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    style = (_PLACE / "page.css").read_text(encoding="utf-8")
    title = f"Examboard: {cube.snapshot.collection}"
    values = json.dumps(live_values(cube), allow_nan=False)
    blocks = live_passages(texts or (), cube.run_ids)
    return (
        '<!DOCTYPE html>\n<html lang="en" class="plain"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(FIRST, script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style><script>{FIRST}</script></head><body><main><h1>{html.escape(title)}</h1>"
        '<p class="quiet">Methods, papers to cite and how this page was made are at its end.</p>'
        f"{_form(data)}{_chart(data)}{_without_script(cube, data)}{_sections(data)}"
        f"{_methods(cube, data, facts)}</main>"
        # What is needed first comes first; a script may run before the rest is read.
        f"{_stored('data', packed(json.dumps(data, allow_nan=False)))}{_stored('plotly', _drawing())}"
        f"<script>{script}</script>{_stored('values', packed(values))}"
        f"{''.join(_stored(f'passages-{place}', packed(block)) for place, block in enumerate(blocks))}</body></html>\n"
    )


def _stored(name: str, text: str) -> str:
    """What is compressed, as an element of the page."""
    return f'<script type="application/gzip" id="{name}">{text}</script>'


@cache
def _drawing() -> str:
    return packed(plotly_code())


def _policy(*scripts: str) -> str:
    """Only the page's scripts run, and what they load themselves: Plotly, which lies compressed in the page."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed} 'strict-dynamic'; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def _methods(cube: Cube, data: Mapping[str, Any], facts: Mapping[str, str]) -> str:
    paragraphs = first_methods(cube, data["first"])
    papers = bibtex(paper for methods in paragraphs for paper in methods.papers)
    names = {**facts, "Version": f"Examboard {__version__}"}
    listed = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>" for name, fact in names.items())
    return (
        '<section><h2>Methods and citation</h2><div id="methods">'
        f"{''.join(f'<p>{html.escape(methods.words)}</p>' for methods in paragraphs)}</div>"
        f'<p class="live">{_button("copy-methods", "Copy the methods")}{_button("copy-bibtex", "Copy the BibTeX")}</p>'
        f'<details><summary>Papers to cite (BibTeX)</summary><pre id="bibtex" tabindex="0">{html.escape(papers)}</pre>'
        f"</details><h3>How this page was made</h3><dl>{listed}</dl>"
        f"<p>{UNDEFINED} marks what is undefined.</p></section>"
    )


def _button(name: str, label: str) -> str:
    return f'<button type="button" id="{name}">{html.escape(label)}</button> '


def _form(data: Mapping[str, Any]) -> str:
    """The choices; what was not computed is not offered."""
    first = data["first"]
    modes = "".join(
        f'<label><input type="checkbox" value="{at}"{" checked" if at in first["modes"] else ""}> '
        f"{html.escape(mode['name'])}</label>"
        for at, mode in enumerate(data["modes"])
    )
    last = len(data["taus"]) - 1
    references = [reference["name"] for reference in data["references"]]
    return (
        f'<form id="choices" class="live" aria-label="Choices">'
        '<fieldset id="modes"><legend>Grading modes</legend>'
        f"{modes}</fieldset>{_select('measure', 'Measure', [measure['id'] for measure in data['measures']], first)}"
        f'<label>tau <span><input type="range" id="tau" min="0" max="{last}" step="1" value="{first["tau"]}"> '
        f'<output id="tau-shown" for="tau">{data["taus"][first["tau"]]}</output></span></label>'
        f"{_select('labelRank', 'Label rank', data['labelRanks'], first)}"
        f"{_select('reference', 'Reference', references, first) if references else ''}"
        f"{_select('view', 'Chart of', VIEWS)}"
        f"{_select('order', 'Runs in the order of', ORDERS)}"
        f'<label>Show runs <input type="search" id="runs" size="14" title="{FILTER}" placeholder="all"></label></form>'
        f'<p class="quiet live" id="meaning">{html.escape(data["measures"][first["measure"]]["meaning"])}</p>'
    )


def _select(
    name: str, label: str, options: Sequence[object] | Mapping[str, str], first: Mapping[str, Any] | None = None
) -> str:
    """A box of names, or of texts by their places; of the latter the first choice's is chosen."""
    texts = options if isinstance(options, Mapping) else {str(at): str(option) for at, option in enumerate(options)}
    choice = str(first[name]) if first else None
    listed = "".join(
        f'<option value="{value}"{" selected" if value == choice else ""}>{html.escape(text)}</option>'
        for value, text in texts.items()
    )
    return f'<label>{label} <select id="{name}">{listed}</select></label>'


def _chart(data: Mapping[str, Any]) -> str:
    """The chart's place with its title."""
    title = html.escape(titled(data, first_boards(data)))
    return (
        f'<h2 id="title" aria-live="polite">{title}</h2><p id="said" class="live"></p>'
        '<p class="quiet live"><span id="count"></span> '
        f"{_button('copy-link', 'Copy link to this view')}{_button('copy-figure', 'Copy figure')}"
        f"{_button('save-svg', 'Save figure (SVG)')}{_button('save-png', 'Save figure (PNG)')}"
        '<span id="copied" role="status"></span>'
        f'</p><div class="chart"><div id="chart" role="group"></div></div>'
    )


def titled(data: Mapping[str, Any], boards: Sequence[tuple[int, Mapping[str, Any]]]) -> str:
    """The heading of some leaderboards, with each mode's tau; board.js says it of any choice."""
    if not boards:
        return "No leaderboard"
    if len(boards) == 1:
        return boards[0][1]["title"]
    names = [data["modes"][at]["name"] + (f", tau {board['tau']}" if board["tau"] else "") for at, board in boards]
    return f"{boards[0][1]['heading']}: {'; '.join(names) if len(names) <= 4 else f'{len(names)} grading modes'}"


def _sections(data: Mapping[str, Any]) -> str:
    judged = bool(data["agreedAt"])
    return (
        f'<div class="live">{_table("headline")}<section id="runs-section"><h2>Leaderboard</h2>{_table("board")}'
        '</section><section id="outliers-section"><h2>Outliers</h2><ul id="outliers-said"></ul>'
        f'<p class="quiet" id="ringed">{RINGED}</p>'
        f"{_table('outliers')}</section>"
        f'<section id="taus-section"><h2>Every tau</h2>{_table("taus")}</section>'
        f'<section id="agreement-section"{"" if judged else " hidden"}><h2>Agreement with the human judgments</h2>'
        '<div id="agreement"></div>'
        f'{CELL if "passages" in data else ""}</section><section id="run-section" hidden>'
        '<h2 id="run-heading" tabindex="-1"></h2><p><button type="button" id="close-run">Close</button></p>'
        f"{_table('run', 'Values by query')}{PASSAGES if 'passages' in data else ''}</section>"
        '<section id="notes-section"><h2>Notes</h2><ul id="notes"></ul></section></div>'
    )


def _table(name: str, caption: str = "") -> str:
    text = html.escape(caption or TABLES[name])
    return (
        f'<div class="table"><div class="wide" tabindex="0" role="region" aria-label="{text}"><table id="{name}">'
        f'<caption>{text}</caption></table></div><p><button type="button" data-csv="{name}">CSV</button></p></div>'
    )


def _without_script(cube: Cube, data: Mapping[str, Any]) -> str:
    """The first leaderboard, which stands there until the script has another one to show."""
    first = data["first"]
    place = (first["modes"][0], first["measure"], first["tau"], first["labelRank"])
    if place not in cube.at:
        return ""
    cube_board = cube.boards[cube.at[place]]
    table = declared_html(ROWS.of(cube_board.board.rows), ROWS, caption=cube_board.title)
    return (
        '<section id="first"><p>This is the leaderboard that the page opens with. Other choices need JavaScript, and a '
        f'browser of 2023 or later.</p><div class="wide">{table}</div></section>'
    )
