"""The HTML of a live page, with its first chart as a picture that needs no script."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from exam_core import __version__
from exam_core.analysis.leaderboard import ROWS
from exam_core.analysis.shared_columns import DISPLACED
from exam_core.charts.plotly_code import plotly_code
from exam_core.hiding import hidden_runs
from exam_core.names import listed
from exam_core.reports.methods_paragraph import bibtex
from exam_core.table_text import UNDEFINED, declared_html
from exam_core.texts.marking import MARKED
from exam_core.wings.live.cube import Cube
from exam_core.wings.live.data import first_methods, live_data, live_values, packed
from exam_core.wings.live.passages import QueryPassages, about_passages, live_passages
from exam_core.wings.live.views import first_note, screens

DASHES = {"solid": "", "dash": "9 5", "dot": "2 4", "dashdot": "9 4 2 4", "longdash": "14 6", "longdashdot": "14 5 2 5"}
"""Pixels of line and gap of Plotly's dashes."""
ACROSS, UP = 1000, 400
"""Units of the plot, which is stretched to the room that there is."""
SPREAD = 0.5
"""Share of the distance between two runs that the grading modes take, side by side, as in the live chart."""
MARKS = 7
"""Numbers on the axis, at most."""
LONGEST, MANY, LETTER, THICK = 24, 24, 6.6, 1.2
"""Characters of a run's name; runs from which on names stand upright; pixels of a letter, about, and of a bar."""
SYMBOLS = {
    "circle": "M4 0A4 4 0 1 1 0-4A4 4 0 0 1 4 0Z",
    "diamond": "M5.2 0L0 5.2L-5.2 0L0-5.2Z",
    "square": "M4 4H-4V-4H4Z",
    "triangle-up": "M-4.62 2H4.62L0-4Z",
    "cross": "M4.8 1.6H1.6V4.8H-1.6V1.6H-4.8V-1.6H-1.6V-4.8H1.6V-1.6H4.8Z",
    "star": "M1.26-1.73H5.33L2.03.66L3.29 4.53L0 2.14L-3.29 4.53L-2.03.66L-5.33-1.73H-1.26L0-5.6Z",
    "x": "M0 2.26l2.26 2.26l2.26-2.26l-2.26-2.26l2.26-2.26l-2.26-2.26l-2.26 2.26l-2.26-2.26l-2.26 2.26l2.26 2.26"
    "l-2.26 2.26l2.26 2.26Z",
    "hexagon": "M3.46-2V2L0 4L-3.46 2V-2L0-4Z",
    "pentagon": "M3.8-1.24L2.35 3.24H-2.35L-3.8-1.24L0-4Z",
}
"""Plotly's symbols, 8 pixels large, as it draws them."""
RING = ' class="ring"'


class ChartKind(NamedTuple):
    """What a chart shows: the columns of a board, what its axis is called, and what is said of it.

    Attributes
    ----------
    error : the column of the errors; empty where the ends of an interval have columns of their own
    """

    value: str
    error: str
    axis: str
    description: str


_SCORE = "score ± standard error"
KINDS = {
    "normalised": ChartKind("normalised", "normalised_stderr", f"re-normalised {_SCORE}", "Re-normalised scores"),
    "raw": ChartKind("mean", "stderr", _SCORE, "Scores"),
    "ranks": ChartKind("rank", "", "rank with 95% interval, the best on top", "Ranks"),
}
"""By what the page's state calls it."""
Ends = tuple[float, float]


class Point(NamedTuple):
    """A run in the picture: its place on the axis, its value with the ends of its bar, and whether it has a ring."""

    at: int
    value: float
    low: float
    high: float
    is_ringed: bool


def picture(data: Mapping[str, Any]) -> str:
    """The chart of the first choice as HTML; nothing where it has nothing to draw.

    Colours are those of the page's style, so that it follows light and dark.

    Parameters
    ----------
    data : what the live page reads: `live_data` with the `first` choice
    """
    pairs, kind = first_boards(data), KINDS[data["first"].get("view", "normalised")]
    order, bounds = runs_in_order(data, pairs), _bounds(data)
    reference = data["first"]["reference"]
    lines = [(data["modes"][mode], list(_points(board, order, kind, reference, bounds))) for mode, board in pairs]
    ends = _ends([point for _, points in lines for point in points], kind, bounds)
    if ends is None:
        return ""
    count, room = len(order), "".join
    marks, digits = _marks(*ends)
    height = {mark: _height(mark, ends) for mark in marks}
    ticks = room(
        f'<text x="-6" y="{high:.2%}" dy="4" text-anchor="end">{mark + 0.0:.{digits}f}</text>'
        for mark, high in height.items()
    )
    grid = room(f"M0 {UP * high:.0f}H{ACROSS}" for high in height.values())
    shifts = [(place + 0.5) / len(lines) - 0.5 for place in range(len(lines))]
    drawn = [_series(mode, points, ends, count, shift) for (mode, points), shift in zip(lines, shifts, strict=True)]
    joined = [line if len(lines) > 1 else "" for line, _, _ in drawn]
    runs = [data["runs"][place] for place in order]
    names = [f"{run[: LONGEST - 1]}…" if len(run) > LONGEST else run for run in runs]
    turn = -90 if count > MANY else -60
    below = room(
        f'<svg x="{(at + 0.5) / count:.2%}" y="8" overflow="visible"><text transform="rotate({turn})" dy="4" '
        f'text-anchor="end">{html.escape(name)}</text></svg>'
        for at, name in enumerate(names)
    )
    deep = 22 + LETTER * max(map(len, names)) * math.sin(math.radians(-turn))
    legend = room(_entry(mode) for mode, _ in lines) if len(lines) > 1 else ""
    symbols = room(
        f'<path class="symbol" id="symbol-{name}" d="{SYMBOLS[name]}"/>'
        for name in {mode["symbol"]: 0 for mode, _ in lines}
    )
    text = f"{kind.description} of {count} runs by {'; '.join(board['title'] for _, board in pairs)}"
    return (
        f'<div id="picture" role="img" aria-label="{html.escape(text)}"><svg width="0" height="0">'
        f'<defs>{symbols}</defs></svg><div class="legend">{legend}</div>'
        f'<div class="plot"><span class="axis">{html.escape(pairs[0][1]["heading"])}<br>{kind.axis}</span>'
        f'<svg viewBox="0 0 {ACROSS} {UP}" preserveAspectRatio="none" width="100%" height="100%">'
        f'<path class="grid" d="{grid}"/>{room(joined)}{room(bars for _, bars, _ in drawn)}</svg>'
        f'<svg width="100%" height="100%">{ticks}{room(marked for _, _, marked in drawn)}</svg></div>'
        f'<svg class="names" width="100%" height="{deep:.0f}">{below}</svg></div>'
    )


def first_boards(data: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The boards of the first choice, each with the place of its grading mode."""
    first, at = data["first"], data["at"]
    rest = ",".join(str(first[name]) for name in ("measure", "tau", "labelRank", "leftOut"))
    keys = ((mode, f"{mode},{rest}") for mode in first["modes"])
    return [(mode, data["boards"][at[key]]) for mode, key in keys if key in at]


def runs_in_order(data: Mapping[str, Any], pairs: Sequence[tuple[int, Mapping[str, Any]]]) -> list[int]:
    """Places of the runs from left to right: in the reference's order, the others by the first board's ranks."""
    if not pairs:
        return []
    board, reference = pairs[0][1], data["first"]["reference"]
    by_reference = board["beside"] and data["first"].get("order") != "own"
    beside = board["beside"][reference] if by_reference else None
    ranks = data["ranks"][beside["ranks"]] if beside else [None] * len(data["runs"])

    def key(place: int) -> tuple[float, float, str]:
        first, own = (math.inf if rank is None else rank for rank in (ranks[place], board["rank"][place]))
        return first, own, data["runs"][place].lower()

    have = [place for place, n in enumerate(board["n_queries"]) if n is not None]
    hidden = hidden_runs(data["first"].get("runs", ""), [data["runs"][place] for place in have])
    shown = [place for place in have if data["runs"][place] not in hidden]
    return sorted(shown, key=key)


def _bounds(data: Mapping[str, Any]) -> Ends:
    """The smallest and the largest score that the chart can show."""
    first = data["first"]
    low, high = data["measures"][first["measure"]]["bounds"] if first.get("view") == "raw" else (None, None)
    return -math.inf if low is None else low, math.inf if high is None else high


def _points(
    board: Mapping[str, Any], order: Sequence[int], kind: ChartKind, reference: int, bounds: Ends
) -> Iterator[Point]:
    flagged = board["outliers"][reference]["flagged"] if board["outliers"] else {}
    for at, place in enumerate(order):
        value = board[kind.value][place]
        if value is None:
            continue
        if kind.error:
            error = board[kind.error][place] or 0
            low, high = max(value - error, bounds[0]), min(value + error, bounds[1])
        else:
            low, high = (board[name][place] or value for name in ("rank_low", "rank_high"))
        yield Point(at, value, low, high, is_ringed=bool(flagged and flagged[place] == 1))


def _ends(points: Sequence[Point], kind: ChartKind, bounds: Ends) -> Ends | None:
    """The values at the foot and at the head of the axis; None where there are none. Rank 1 is at its head."""
    if not points:
        return None
    low, high = min(point.low for point in points), max(point.high for point in points)
    room = max(0.06 * (high - low), 1e-3)
    return (max(low - room, bounds[0]), min(high + room, bounds[1])) if kind.error else (high + room, low - room)


def _height(value: float, ends: Ends) -> float:
    """How far below the head of the axis a value is, as a share of the axis."""
    foot, head = ends
    return (head - value) / (head - foot)


def _marks(*ends: float) -> tuple[list[float], int]:
    """Round numbers on an axis, and how many decimals they have."""
    low, high = sorted(ends)
    power = 10.0 ** math.floor(math.log10((high - low) / MARKS))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= (high - low) / MARKS)
    marks = [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return marks, max(0, -math.floor(math.log10(step)))


def _series(
    mode: Mapping[str, Any], points: Sequence[Point], ends: Ends, count: int, shift: float
) -> tuple[str, str, str]:
    """The line that joins a grading mode's points, their bars, and their symbols, some with a ring."""
    spots = [((point.at + 0.5 + SPREAD * shift) / count, _height(point.value, ends), point) for point in points]
    joined = "L".join(f"{ACROSS * x:.1f} {UP * y:.1f}" for x, y, _ in spots)
    reach = [
        (ACROSS * x, UP * _height(point.low, ends), UP * _height(point.high, ends))
        for x, _, point in spots
        if point.low < point.high
    ]
    bars = "".join(f"M{x:.1f} {low:.1f}V{high:.1f}" for x, low, high in reach)
    # A cap is a short and broad piece of the bar, since lines keep their breadth where the plot is stretched.
    caps = "".join(f"M{x:.1f} {end - THICK / 2:.1f}v{THICK}" for x, *both in reach for end in both)
    symbols = "".join(
        f'<use href="#symbol-{mode["symbol"]}" x="{x:.2%}" y="{y:.2%}"{RING if point.is_ringed else ""}/>'
        for x, y, point in spots
    )
    line = f'<path d="M{joined}" stroke="{mode["color"]}" stroke-dasharray="{DASHES[mode["dash"]]}"/>' if spots else ""
    drawn = f'<path d="{bars}" stroke="{mode["color"]}"/><path class="caps" d="{caps}" stroke="{mode["color"]}"/>'
    return line, drawn, f'<g fill="{mode["color"]}">{symbols}</g>'


def _entry(mode: Mapping[str, Any]) -> str:
    return (
        f'<span><svg width="34" height="12"><path d="M0 6H34" stroke="{mode["color"]}" '
        f'stroke-dasharray="{DASHES[mode["dash"]]}"/><use href="#symbol-{mode["symbol"]}" x="17" y="6" '
        f'fill="{mode["color"]}"/></svg> {html.escape(mode["name"])}</span>'
    )


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
    cube: Cube,
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
    data = live_data(cube) | {"first": dict(first), "views": list(views)}
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


def fixed_size() -> int:
    """Bytes that every live page has: what draws its charts, its script and its style."""
    return len(_drawing()) + sum(path.stat().st_size for path in _PLACE.iterdir() if path.is_file())


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
    runs = [f"without {listed(runs)}" if runs else f"all {len(data['runs'])}" for runs in data["leftOut"]]
    return (
        f'<form id="choices" class="live" aria-label="Choices">{screens(data["views"])}'
        '<fieldset id="modes"><legend>Grading modes</legend>'
        f"{modes}</fieldset>{_select('measure', 'Measure', [measure['id'] for measure in data['measures']], first)}"
        f'<label>tau <span><input type="range" id="tau" min="0" max="{last}" step="1" value="{first["tau"]}"> '
        f'<output id="tau-shown" for="tau">{data["taus"][first["tau"]]}</output></span></label>'
        f"{_select('labelRank', 'Label rank', data['labelRanks'], first)}"
        f"{_select('reference', 'Reference', references, first) if references else ''}"
        f"{_select('leftOut', 'Runs', runs, first) if len(runs) > 1 else ''}"
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
    """The chart's place with its title, where the picture of the first choice stands until the chart is drawn."""
    title = html.escape(titled(data, first_boards(data)))
    return (
        f'<h2 id="title" aria-live="polite">{title}</h2><p id="said" class="live"></p>{first_note(data["views"])}'
        '<p class="quiet live"><span id="count"></span> '
        f"{_button('copy-link', 'Copy link to this view')}{_button('copy-figure', 'Copy figure')}"
        f"{_button('save-svg', 'Save figure (SVG)')}{_button('save-png', 'Save figure (PNG)')}"
        '<span id="copied" role="status"></span>'
        f'</p><div class="chart">{picture(data)}<div id="chart" role="group"></div></div>'
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
    place = (first["modes"][0], first["measure"], first["tau"], first["labelRank"], first["leftOut"])
    if place not in cube.at:
        return ""
    cube_board = cube.boards[cube.at[place]]
    table = declared_html(ROWS.of(cube_board.board.rows), ROWS, caption=cube_board.title)
    return (
        '<section id="first"><p>This is the leaderboard that the page opens with. Other choices need JavaScript, and a '
        f'browser of 2023 or later.</p><div class="wide">{table}</div></section>'
    )
