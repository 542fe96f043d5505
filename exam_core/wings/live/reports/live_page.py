"""The live page as one HTML file: no network, and a policy that lets nothing run but its own script."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from exam_core import __version__
from exam_core.analysis.evaluation.caveats import listed
from exam_core.analysis.evaluation.leaderboard import ROWS
from exam_core.analysis.shared_columns import DISPLACED
from exam_core.charts.plotly_code import plotly_code
from exam_core.reports.bibliography import bibtex
from exam_core.reports.tables import UNDEFINED, declared_html
from exam_core.texts.marking import MARKED
from exam_core.wings.live.analysis.cube import Cube
from exam_core.wings.live.analysis.returned_passages import QueryPassages
from exam_core.wings.live.reports.first_chart import KINDS, first_boards, picture
from exam_core.wings.live.reports.live_data import live_data, live_values
from exam_core.wings.live.reports.live_methods import first_methods
from exam_core.wings.live.reports.live_passages import about_passages, live_passages
from exam_core.wings.live.reports.live_views import first_note, screens
from exam_core.wings.live.reports.packing import packed

_PLACE = Path(__file__).parent / "page"
SCRIPTS = (
    *("data", "numbers", "choice", "tables", "board", "agreement", "outliers", "run", "passages", "notes", "chart"),
    *("methods", "saving", "views", "start"),
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
FIRST = (
    'if (window.DecompressionStream) document.documentElement.className = location.hash.length > 1 ? "asked" : "first";'
)
"""Runs before anything is painted: the picture of the first choice gives way where the address asks for another one."""
ORDERS = {"reference": "the reference", "own": "the first leaderboard"}


def live_page(
    found: Cube,
    first: Mapping[str, Any],
    facts: Mapping[str, str],
    texts: Iterable[QueryPassages] | None = None,
    views: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The page as HTML.

    Parameters
    ----------
    first : the choice that it opens with, by the names of its state: `modes`, `measure`, `tau`, `labelRank`,
        `reference`, as places in the axes
    facts : what it was made from, by name: data, command, day
    texts : passages of each query of the cube; with None no text is in the page
    views : pinned views that open with a click: `live_views`
    """
    data = live_data(found) | {"first": dict(first), "views": list(views)}
    data["charts"] = {name: {"axis": kind.axis, "said": kind.said} for name, kind in KINDS.items()}
    data |= {} if texts is None else {"passages": about_passages(found)}
    script = "\n".join((_PLACE / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    style = (_PLACE / "page.css").read_text(encoding="utf-8")
    title = f"Examboard: {found.snapshot.collection}"
    values = json.dumps(live_values(found), allow_nan=False)
    blocks = live_passages(texts or (), found.run_ids)
    return (
        '<!DOCTYPE html>\n<html lang="en" class="plain"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(FIRST, script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style><script>{FIRST}</script></head><body><main>{_head(title)}"
        f"{_form(data)}{_chart(data)}{_without_script(found, data)}{_sections(data)}"
        f"{_methods(found, data, facts)}</main>"
        # What is needed first comes first; a script may run before the rest is read.
        f"{_stored('data', packed(json.dumps(data, allow_nan=False)))}{_stored('plotly', _drawing())}"
        f"<script>{script}</script>{_stored('values', packed(values))}"
        f"{''.join(_stored(f'passages-{place}', packed(block)) for place, block in enumerate(blocks))}</body></html>\n"
    )


def _stored(name: str, text: str) -> str:
    """What is compressed, as an element of the page."""
    return f'<script type="application/gzip" id="{name}">{text}</script>'


def fixed_size() -> int:
    """Bytes that every live page has: what draws its charts, its script and its style."""
    return len(_drawing()) + sum(path.stat().st_size for path in _PLACE.iterdir() if path.is_file())


@cache
def _drawing() -> str:
    return packed(plotly_code())


def _policy(*scripts: str) -> str:
    """Only the page's scripts run, and what they load themselves: Plotly, which lies compressed in the page."""
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed} 'strict-dynamic'; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def _head(title: str) -> str:
    return (
        f'<h1>{html.escape(title)}</h1><p class="quiet">{UNDEFINED} marks what is undefined. Methods, papers to cite '
        "and how this page was made are at its end.</p>"
    )


def _methods(found: Cube, data: Mapping[str, Any], facts: Mapping[str, str]) -> str:
    said = first_methods(found, data["first"])
    papers = bibtex(paper for one in said for paper in one.papers)
    told = {**facts, "Version": f"Examboard {__version__}"}
    listed = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(fact)}</dd>" for name, fact in told.items())
    return (
        '<section><h2>Methods and citation</h2><div id="methods">'
        f"{''.join(f'<p>{html.escape(one.words)}</p>' for one in said)}</div>"
        f'<p class="live">{_button("copy-methods", "Copy the methods")}{_button("copy-bibtex", "Copy the BibTeX")}</p>'
        f'<details><summary>Papers to cite (BibTeX)</summary><pre id="bibtex" tabindex="0">{html.escape(papers)}</pre>'
        f"</details><h3>How this page was made</h3><dl>{listed}</dl></section>"
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
    references = [one["name"] for one in data["references"]]
    return (
        f'<form id="choices" class="live" aria-label="Choices">{screens(data["views"])}'
        '<fieldset id="modes"><legend>Grading modes</legend>'
        f"{modes}</fieldset>{_select('measure', 'Measure', [one['id'] for one in data['measures']], first)}"
        f'<label>tau <span><input type="range" id="tau" min="0" max="{last}" step="1" value="{first["tau"]}"> '
        f'<output id="tau-shown" for="tau">{data["taus"][first["tau"]]}</output></span></label>'
        f"{_select('labelRank', 'Label rank', data['labelRanks'], first)}"
        f"{_select('reference', 'Reference', references, first) if references else ''}"
        f"{_select('leftOut', 'Runs', _of_runs(data), first) if len(data['leftOut']) > 1 else ''}"
        f"{_select('view', 'Chart of', VIEWS)}"
        f"{_select('order', 'Runs in the order of', ORDERS)}"
        f'<label>Show runs <input type="search" id="runs" size="14" title="{FILTER}" placeholder="all"></label></form>'
        f'<p class="quiet live" id="meaning">{html.escape(data["measures"][first["measure"]]["meaning"])}</p>'
    )


def _of_runs(data: Mapping[str, Any]) -> list[str]:
    return [f"without {listed(runs)}" if runs else f"all {len(data['runs'])}" for runs in data["leftOut"]]


def _select(
    name: str, label: str, options: Sequence[object] | Mapping[str, str], first: Mapping[str, Any] | None = None
) -> str:
    """A box of names, or of texts by their places; of the latter the first choice's is chosen."""
    pairs = options.items() if isinstance(options, Mapping) else [(str(at), str(one)) for at, one in enumerate(options)]
    chosen = str(first[name]) if first else None
    listed = "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{html.escape(text)}</option>'
        for value, text in pairs
    )
    return f'<label>{label} <select id="{name}">{listed}</select></label>'


def _chart(data: Mapping[str, Any]) -> str:
    """The chart's place with its title, where the picture of the first choice stands until the chart is drawn."""
    title = html.escape(titled([board for _, board in first_boards(data)]))
    return (
        f'<h2 id="title" aria-live="polite">{title}</h2><p id="said" class="live"></p>{first_note(data["views"])}'
        '<p class="quiet live"><span id="count"></span> '
        f"{_button('copy-link', 'Copy link to this view')}{_button('copy-figure', 'Copy figure')}"
        f"{_button('save-svg', 'Save figure (SVG)')}{_button('save-png', 'Save figure (PNG)')}"
        '<span id="copied" role="status"></span>'
        f'</p><div class="chart">{picture(data)}<div id="chart" role="group"></div></div>'
    )


def titled(boards: Sequence[Mapping[str, Any]]) -> str:
    """The heading of some leaderboards; board.js says it of any choice."""
    if not boards:
        return "No leaderboard"
    return boards[0]["title"] if len(boards) == 1 else f"{boards[0]['heading']}: {len(boards)} grading modes"


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
    said = html.escape(caption or TABLES[name])
    return (
        f'<div class="table"><div class="wide" tabindex="0" role="region" aria-label="{said}"><table id="{name}">'
        f'<caption>{said}</caption></table></div><p><button type="button" data-csv="{name}">CSV</button></p></div>'
    )


def _without_script(found: Cube, data: Mapping[str, Any]) -> str:
    """The first leaderboard, which stands there until the script has another one to show."""
    first = data["first"]
    place = (first["modes"][0], first["measure"], first["tau"], first["labelRank"], first["leftOut"])
    if place not in found.at:
        return ""
    one = found.boards[found.at[place]]
    table = declared_html(ROWS.of(one.board.rows), ROWS, caption=one.title)
    return (
        '<section id="first"><p>This is the leaderboard that the page opens with. Other choices need JavaScript, and a '
        f'browser of 2023 or later.</p><div class="wide">{table}</div></section>'
    )
