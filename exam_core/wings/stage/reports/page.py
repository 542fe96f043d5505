"""A comparison as one HTML file that works offline and is read well by screen readers."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from exam_core import __version__
from exam_core.aliases import with_aliases
from exam_core.analysis.comparisons.comparison import AGREEMENTS, Comparison
from exam_core.analysis.comparisons.correlation import Correlated
from exam_core.analysis.displacement.outliers import ROWS as DISPLACEMENTS
from exam_core.analysis.displacement.outliers import Outliers
from exam_core.analysis.evaluation.caveats import UNREADABLE
from exam_core.analysis.evaluation.leaderboard import ROWS, Leaderboard
from exam_core.analysis.evaluation.standing import SCORES
from exam_core.analysis.shared_columns import RUNS, SERIES
from exam_core.charts.displacement_charts import displacement_figure
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.numbers.rank_correlations import COEFFICIENTS
from exam_core.reports import displacements
from exam_core.reports.coefficient_tables import ALL_COEFFICIENTS, INTERVALS, MEANINGS, MIDDLES, coefficients_table
from exam_core.reports.json_objects import interval, shown_rows
from exam_core.reports.part import Part
from exam_core.reports.picture import Picture, about_outside, plain_picture
from exam_core.reports.tables import UNDEFINED, declared_html, to_read
from exam_core.results import ResultTable, decimal
from exam_core.wings.stage.charts.embedding import drawing_code, embedded, page_policy
from exam_core.wings.stage.reports.beyond import Beyond
from exam_core.wording import for_readers, plain_names, reference_in_words

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
        for column in (
            decimal(name, MEANINGS[name][0], f"{MEANINGS[name][1]}."),
            INTERVALS[name],
            MIDDLES[name],
        )
    ),
)
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
    """

    collection: str
    fingerprint: str
    words: str
    made: str
    address: str = ""


def html_report(
    found: Comparison,
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
    notes = list(dict.fromkeys([*found.notes, *_notes(beyond)]))
    missing = list(dict.fromkeys([*found.missing, *beyond.missing]))
    unread = [note for note in notes if note.startswith(UNREADABLE)]
    sections = [
        head(title, origin),
        _list(unread) if unread else "",
        _section("Leaderboard", _chart(picture or plain_picture(found, reference))) if found.boards else "",
        _section(f"Correlation with {reference_in_words(reference or '')}", _coefficients(correlated, found.names))
        if correlated
        else "",
        _section("Agreement with the human judgments", _agreements(found)) if len(found.agreements) else "",
        *(
            _section(f"Scores: {found.names[name]}", _scores(name, board, beyond))
            for name, board in found.boards.items()
        ),
        *(_section(part.heading, _part(part)) for part in beyond.parts if part.is_early),
        _section(f"Displaced runs, against {reference_in_words(beyond.outliers.reference)}", _outliers(beyond.outliers))
        if beyond.outliers is not None and len(beyond.outliers.rows)
        else "",
        *(_section(part.heading, _part(part)) for part in beyond.parts if not part.is_early),
        _section("What is missing", _list(missing)) if missing else "",
        _section("Notes", _list([*notes, NOT_HERE])),
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
        "Data": f"{origin.collection}, fingerprint {origin.fingerprint}",
        "Made": f"{origin.made} with Examboard {__version__}",
        **({"In the dashboard": origin.address} if origin.address else {}),
    }
    rows = "".join(f"<dt>{name}</dt><dd><code>{html.escape(fact)}</code></dd>" for name, fact in facts.items())
    return f'<h1>{html.escape(title)}</h1><dl class="origin">{rows}</dl><p>{UNDEFINED} marks what is undefined.</p>'


def _section(heading: str, body: str) -> str:
    return f"<section><h2>{html.escape(heading)}</h2>{body}</section>"


def _chart(picture: Picture) -> str:
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in about_outside(picture))
    return said + embedded(picture.figure(), "leaderboard")


def _coefficients(correlated: Sequence[Correlated], names: Mapping[str, str]) -> str:
    about = "Over the runs that both rank; intervals and corrected values are those for unlimited queries"
    if len(correlated) == 1:
        frame = coefficients_table(correlated[0]).dropna(subset="value")
        runs = f"{about} (n = {correlated[0].correlation.n})"
        meanings = dict(zip(frame["coefficient"], frame["meaning"], strict=True))
        text = _table(frame.drop(columns="meaning"), ALL_COEFFICIENTS, runs, meanings)
        return text + _caveats(correlated, names)
    rows = []
    for one in correlated:
        row: dict[str, object] = {"series": names.get(one.leaderboard, one.leaderboard), "n": one.correlation.n}
        for name in COEFFICIENTS:
            row |= {name: getattr(one.correlation, name), f"{name}_interval": interval(one.intervals.get(name))}
            row |= {f"{name}_middle": one.middles.get(name, math.nan)}
        rows.append(row)
    return _table(CORRELATED.of(pd.DataFrame(rows)), CORRELATED, about) + _caveats(correlated, names)


def _caveats(correlated: Sequence[Correlated], names: Mapping[str, str]) -> str:
    told = [f"{names.get(one.leaderboard, one.leaderboard)}: {text}" for one in correlated for text in one.caveats]
    return _list(told) if told else ""


def _scores(name: str, board: Leaderboard, beyond: Beyond) -> str:
    """A board with the intervals of its ranks, where they are known."""
    if name in beyond.standing:
        return _table(beyond.standing[name], SCORES, board.title)
    return _table(shown_rows(ROWS.of(board.rows)), ROWS, board.title)


def _agreements(found: Comparison) -> str:
    return _table(with_aliases(found.agreements, found.names), AGREEMENTS, "Labels against judgments")


def _outliers(found: Outliers) -> str:
    methods = found.methods["method"].tolist()
    told = displacements.verdict(found)
    draw = displacement_strips if len(methods) >= MANY else displacement_figure
    chart = embedded(draw(found.rows, methods, found.reference), "outliers")
    rows = displacements.flagged_first(found.rows)
    return (
        (_list(told) if told else "") + chart + _table(rows, DISPLACEMENTS, "Displacement of every run, flagged first")
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
    said = {column.label: column.explained for column in columns if column.help} | dict(meanings or {})
    terms = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(about)}</dd>" for name, about in said.items())
    folded = f"<details><summary>Meaning of the columns</summary><dl>{terms}</dl></details>" if terms else ""
    label = html.escape(caption)
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{text}</div>{folded}'


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(for_readers(sentence))}</li>' for sentence in sentences)}</ul>"
