"""The report for print as one HTML page, and its parts beyond leaderboard, taus and displacements."""

from __future__ import annotations

import base64
import hashlib
import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import plotly.graph_objects as go
import segno

from exam_core import __version__, wings
from exam_core.aliases import in_words, with_aliases
from exam_core.analysis import agreement_matrices as kappas
from exam_core.analysis import displacements
from exam_core.analysis.caveats import UNREADABLE
from exam_core.analysis.comparison import (
    AGREEMENTS,
    ALL_COEFFICIENTS,
    INTERVALS,
    MEANINGS,
    MIDDLES,
    Comparison,
    Correlated,
    coefficients_table,
)
from exam_core.analysis.contents import names_of
from exam_core.analysis.displacements import with_names
from exam_core.analysis.figures import Figures
from exam_core.analysis.leaderboard import ROWS, SCORES, Leaderboard
from exam_core.analysis.outliers import ROWS as DISPLACEMENTS
from exam_core.analysis.outliers import Outliers, readable_titles
from exam_core.analysis.references import SOURCE
from exam_core.analysis.shared_columns import RUNS, SERIES
from exam_core.charts.chart_layout import SERIES as COLOURS
from exam_core.charts.chart_layout import words_of
from exam_core.charts.leaderboard_lines import displacement_figure
from exam_core.charts.plotly_code import plotly_code
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.errors import ExamboardError
from exam_core.numbers.rank_correlations import COEFFICIENTS
from exam_core.reports.json_objects import interval, shown_rows
from exam_core.reports.part import Ask, Asking, PagePart, Part, Picture, about_outside, ask_now, plain_picture
from exam_core.request import Request
from exam_core.results import ResultTable, decimal
from exam_core.table_text import UNDEFINED, declared_html, to_read
from exam_core.wording import QUESTIONS, for_readers, plain_names, reference_in_words


def parts(asking: Asking) -> tuple[list[Part], list[str]]:
    """Every part that can be had, and why others can't."""
    items, missing = [], []
    for row in sorted(wings.declared("report_parts"), key=lambda row: row.order):
        try:
            part = row.make(asking)
        except ExamboardError as error:
            missing.append(f"{row.heading}: {error}")
            continue
        if part is not None:
            items += [part] if part.sentences or part.charts or part.tables else []
            missing += part.missing
    return items, missing


def _every_cut(asking: Asking) -> Part | None:
    figures, request = asking.figures, asking.request
    if printed := figures.in_print:
        if not printed.banks():
            return None
        request = request.but(bank=printed.table_of(asking.series))
    elif asking.of_grades and (choice := asking.choice()):
        request = request.of(asking.series[0]).but(label_rank=choice.labelling.label_rank)
    else:
        return None
    result = asking.ask(figures.agreement_grid, request)
    if result.rows.empty:
        return None
    charts = {"kappas": kappas.kappa_figure(result.rows)}
    bank = result.bank and (QUESTIONS.get(result.bank, result.bank) if figures.in_print else f"bank {result.bank}")
    of = ", ".join(filter(None, (asking.called(result.grader) if result.grader else "as printed", bank)))
    return Part("Kappa at every tau and threshold", [f"Of {of}."], charts, [], result.notes)


PARTS = (PagePart("Kappa at every tau and threshold", _every_cut, 40),)


@dataclass(frozen=True)
class Beyond:
    """Figures of single pages.

    Attributes
    ----------
    standing : by series, what says how much each rank is worth
    outliers : displacements, methods by their graders' names; None where there is nothing to compare with
    parts : sections of the other pages
    missing : why something of it is not there, in sentences
    """

    standing: dict[str, pd.DataFrame] = field(default_factory=dict)
    outliers: Outliers | None = None
    missing: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def beyond(figures: Figures, series: Sequence[str], request: Request, ask: Ask = ask_now) -> Beyond:
    """Everything beside the comparison that a report shows of series with a leaderboard, and why some is missing."""
    missing: list[str] = []

    def had(before: str, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return ask(function, *arguments)
        except ExamboardError as error:
            missing.append(f"{before}{error}")

    standing, names = {}, names_of(figures.snapshot)
    for name in series:
        standing[name] = had(f"{names.get(name, name)}: ", figures.standing, name, request)
    displaced = had("", figures.displaced, tuple(series), request, figures.further_measures(request))
    others, problems = parts(Asking(figures, series, request, ask)) if series else ([], [])
    ranks = {name: rows for name, rows in standing.items() if rows is not None}
    outliers = displaced and with_names(displaced[0], {**names, **readable_titles(list(displaced[1].values()), names)})
    return Beyond(ranks, outliers, list(dict.fromkeys([*missing, *problems])), others)


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
    written : the page's HTML, with figures by `embedded`
    """
    code = (plotly_code(), _DRAWING, *_FIGURE.findall(written))
    digests = (hashlib.sha256(script.encode()).digest() for script in code)
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
    drawn = go.Figure(figure).update_layout(template="plotly_white", colorway=COLOURS)
    spec = drawn.to_json() or ""
    for character, safe in _NOT_IN_SCRIPTS.items():
        spec = spec.replace(character, safe)
    place = html.escape(name)
    return (
        f'<div id="{place}" class="chart" role="img" aria-label="{html.escape(words_of(figure))}"></div>'
        f'<script>drawExamboardFigure("{place}", {spec});</script>'
    )


STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --ground: #fff; --line: #c9d0d9; --quiet: #566273; }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: auto; padding: 1rem;
  color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; }
dl.origin { display: grid; grid-template-columns: minmax(5rem, max-content) minmax(0, 1fr); gap: 0.2rem 1rem; }
dl.origin dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; }
section, .chart { min-width: 0; max-width: 100%; }
.chart.js-plotly-plot .plotly .modebar { inset: auto 0 0 auto; line-height: 1; }
.wide { overflow-x: auto; max-width: 100%;
  background: linear-gradient(to left, var(--ground) 1rem, transparent 2rem) right / 100% 100% no-repeat local,
    linear-gradient(to left, var(--line), transparent) right / 0.7rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; }
td { font-variant-numeric: tabular-nums; }
td[dir] { min-width: 7rem; overflow-wrap: anywhere; }
details { font-size: 0.9rem; }
details dt { font-weight: 600; }
@media (max-width: 40rem) {
  body { padding: 0.6rem; }
  dl.origin { grid-template-columns: minmax(0, 1fr); gap: 0; }
  th, td { padding: 0.2rem 0.4rem; }
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf3; --ground: #11161d; --line: #3a4450; --quiet: #a9b4c2; }
}
@media print { .wide { overflow: visible; } details { display: none; } section { break-inside: avoid; } }
"""
"""A shadow at a table's right edge says that there is more of it. Charts take their colours from --ink and --line."""


CORRELATED = ResultTable(
    "report: correlations",
    "Every correlation coefficient of each grading mode, or printed column, and the reference, with its interval",
    SERIES,
    RUNS,
    *(
        column
        for name in COEFFICIENTS
        for column in (decimal(name, MEANINGS[name][0], f"{MEANINGS[name][1]}."), INTERVALS[name], MIDDLES[name])
    ),
)
UNDEFINED_MARK = f"A dash ({UNDEFINED}) marks what is undefined."
NOT_HERE = "Not in this report, but in the dashboard: passages, edits of question banks, and reviews."


@dataclass(frozen=True)
class ReportOrigin:
    """What a report was made from.

    Attributes
    ----------
    collection, fingerprint : the data
    words : the choice in one line
    address : of the page in the dashboard; empty if there is none
    made : the day
    data : the data of several collections; by default of the one
    """

    collection: str
    fingerprint: str
    words: str
    made: str
    address: str = ""
    data: str = ""


def html_report(
    comparison: Comparison,
    correlated: Sequence[Correlated],
    origin: ReportOrigin,
    *,
    picture: Picture | None = None,
    beyond: Beyond | None = None,
) -> str:
    """The report as HTML.

    Parameters
    ----------
    correlated : the coefficients of the boards with the reference, with their intervals
    picture : how the leaderboards are drawn; by default as their rows alone tell
    beyond : what single pages show of the choice
    """
    reference = correlated[0].reference if correlated else None
    beyond = beyond or Beyond()
    title = f"Examboard: {origin.collection}"
    notes = [in_words(note, comparison.names) for note in dict.fromkeys([*comparison.notes, *_notes(beyond)])]
    missing = list(dict.fromkeys([*comparison.missing, *beyond.missing]))
    unread = [note for note in notes if note.startswith(UNREADABLE)]
    sections = [
        head(title, origin),
        _list(unread) if unread else "",
        _section("Leaderboard", _chart(picture or plain_picture(comparison, reference))) if comparison.boards else "",
        _section(f"Correlation with {reference_in_words(reference or '')}", _coefficients(correlated, comparison.names))
        if correlated
        else "",
        _section("Agreement with the human judgments", _agreements(comparison)) if len(comparison.agreements) else "",
        *(
            _section(f"Scores: {comparison.names[name]}", _scores(name, board, beyond, comparison))
            for name, board in comparison.boards.items()
        ),
        *(_section(part.heading, _part(part)) for part in beyond.parts if part.is_early),
        _section(f"Displaced runs, against {reference_in_words(beyond.outliers.reference)}", _outliers(beyond.outliers))
        if beyond.outliers is not None and len(beyond.outliers.rows)
        else "",
        *(_section(part.heading, _part(part)) for part in beyond.parts if not part.is_early),
        _section("What is missing", _list(missing)) if missing else "",
        _section("Notes", _list([*notes, NOT_HERE, UNDEFINED_MARK])),
    ]
    return document(title, "".join(sections))


def document(title: str, body: str) -> str:
    """A page that stands alone, with what draws its figures."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{page_policy(body)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style>{drawing_code()}</head><body><main>{body}</main></body></html>\n"
    )


def head(title: str, origin: ReportOrigin) -> str:
    """The title, and what the page was made from."""
    facts = {
        "Choice": origin.words,
        "Data": origin.data or f"{origin.collection}, fingerprint {origin.fingerprint}",
        "Made": f"{origin.made} with Examboard {__version__}",
        **({"In the dashboard": origin.address} if origin.address else {}),
    }
    rows = "".join(f"<dt>{name}</dt><dd><code>{html.escape(fact)}</code></dd>" for name, fact in facts.items())
    return f'<h1>{html.escape(title)}</h1><dl class="origin">{rows}</dl>'


def _section(heading: str, body: str) -> str:
    return f"<section><h2>{html.escape(heading)}</h2>{body}</section>"


def _chart(picture: Picture) -> str:
    text = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in about_outside(picture))
    return text + embedded(picture.figure(), "leaderboard")


def _coefficients(correlated: Sequence[Correlated], names: Mapping[str, str]) -> str:
    about = "Over the runs that both rank"
    if any(item.truths for item in correlated):
        about += "; intervals and corrected values are those for unlimited queries"
    if len(correlated) == 1:
        frame = coefficients_table(correlated[0]).dropna(subset="value")
        runs = f"{about} (n = {correlated[0].correlation.n})"
        meanings = dict(zip(frame["coefficient"], frame["meaning"], strict=True))
        text = _table(frame.drop(columns="meaning"), ALL_COEFFICIENTS, runs, meanings)
        return text + _caveats(correlated, names)
    rows = []
    for item in correlated:
        row: dict[str, object] = {"series": names.get(item.leaderboard, item.leaderboard), "n": item.correlation.n}
        for name in COEFFICIENTS:
            row |= {name: getattr(item.correlation, name), f"{name}_interval": interval(item.intervals.get(name))}
            row |= {f"{name}_middle": item.middles.get(name, math.nan)}
        rows.append(row)
    return _table(CORRELATED.of(pd.DataFrame(rows)), CORRELATED, about) + _caveats(correlated, names)


def _caveats(correlated: Sequence[Correlated], names: Mapping[str, str]) -> str:
    sentences = [
        f"{names.get(correlation.leaderboard, correlation.leaderboard)}: {text}"
        for correlation in correlated
        for text in correlation.caveats
    ]
    return _list(sentences) if sentences else ""


def _scores(name: str, board: Leaderboard, beyond: Beyond, comparison: Comparison) -> str:
    """A board with the intervals of its ranks, where they are known."""
    caption = f"{board.heading} of {comparison.names[name]}" if board.grader else comparison.names[name]
    if board.grader and board.tau_applies:
        caption = f"{caption.removesuffix(f', tau {board.tau}')} (tau {board.tau})"
    if name in beyond.standing:
        return _table(beyond.standing[name], SCORES, caption)
    return _table(shown_rows(ROWS.of(board.rows)), ROWS, caption)


def _agreements(comparison: Comparison) -> str:
    return _table(with_aliases(comparison.agreements, comparison.names), AGREEMENTS, "Labels against judgments")


def _outliers(outliers: Outliers) -> str:
    methods = outliers.methods["method"].tolist()
    sentences = displacements.verdict(outliers)
    draw = displacement_strips if len(methods) >= MANY else displacement_figure
    chart = embedded(draw(outliers.rows, methods, outliers.reference), "outliers")
    rows = displacements.flagged_first(outliers.rows)
    return (
        (_list(sentences) if sentences else "")
        + chart
        + _table(rows, DISPLACEMENTS, "Displacement of every run, flagged first")
    )


def _part(part: Part) -> str:
    charts = "".join(embedded(figure, name) for name, figure in part.charts.items())
    tables = "".join(_table(table.frame, table.of, table.caption) for table in part.tables)
    return (_list(part.sentences) if part.sentences else "") + charts + tables


def _notes(beyond: Beyond) -> list[str]:
    outliers = beyond.outliers.notes if beyond.outliers else []
    early = [note for part in beyond.parts if part.is_early for note in part.notes]
    others = [note for part in beyond.parts if not part.is_early for note in part.notes]
    return [*early, *outliers, *others]


def _table(frame: pd.DataFrame, of: ResultTable, caption: str, meanings: Mapping[str, str] | None = None) -> str:
    """A table as declared, without columns that have no value, and what its columns, or rows, mean, folded away."""
    caption = plain_names(caption)
    shown, of = to_read(frame.dropna(axis="columns", how="all"), of)
    text = declared_html(shown, of, caption=caption)
    columns = [of[name] for name in shown.columns]
    names = {column.label: column.explained.replace(f" ({SOURCE})", "") for column in columns if column.help} | dict(
        meanings or {}
    )
    terms = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(about)}</dd>" for name, about in names.items())
    folded = f"<details><summary>Meaning of the columns</summary><dl>{terms}</dl></details>" if terms else ""
    label = html.escape(caption)
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{text}</div>{folded}'


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(for_readers(sentence))}</li>' for sentence in sentences)}</ul>"


LOCAL = (
    "This link leads to this machine alone: it works in a browser here, and on no other device. Serve the dashboard "
    "under a name that others reach to share it."
)


def qr_code(link: str) -> str:
    """A link as a QR code: an SVG as a data URI, black on white in any theme, with its quiet zone; made here."""
    code = segno.make(link, micro=False, error="l", boost_error=False)
    return code.svg_data_uri(scale=4, border=4, dark="#000", light="#fff", omitsize=True)


def leads_elsewhere(link: str) -> bool:
    """Whether a link is of a server that other machines may reach."""
    try:
        host = urlsplit(link).hostname or ""
    except ValueError:
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return bool(host) and host != "localhost" and not host.endswith(".localhost")
