"""A comparison as one HTML file that works offline and is read well by screen readers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from exam_core import __version__
from exam_core.analysis.beside.comparison import Comparison
from exam_core.analysis.beside.correlation import Correlated
from exam_core.analysis.evaluation.leaderboard import ROWS
from exam_core.charts.embedding import drawing_code, embedded
from exam_core.charts.leaderboard import leaderboard_alternative, leaderboard_figure
from exam_core.measures.correlation import COEFFICIENTS
from exam_core.reports.answers import interval, shown_rows
from exam_core.reports.tables import UNDEFINED, as_html

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: auto; padding: 1rem;
  color: #1b2430; background: #fff; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #c9d0d9; text-align: left; }
code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { color: #e8edf3; background: #11161d; }
  th, td { border-color: #3a4450; }
}
@media print { .wide { overflow: visible; } }
"""
NAMES = {
    "run_id": "Run",
    "mean": "Mean",
    "stderr": "Standard error",
    "n_queries": "Queries",
    "normalised": "Re-normalised",
    "normalised_stderr": "Re-normalised standard error",
    "rank": "Rank",
    "reference_rank": "Rank in the reference",
    "unanswered": "Unanswered queries",
    "series": "Series",
    "kappa": "Cohen's kappa",
    "tp": "Both relevant",
    "fp": "Only predicted",
    "fn": "Only judged",
    "tn": "Neither",
    "n": "n",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "tau_ap": "tau-AP",
    "rbo": "RBO",
    "r2": "R2",
    "rmse": "RMSE",
}


@dataclass(frozen=True)
class Origin:
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


def html_report(found: Comparison, correlated: Sequence[Correlated], origin: Origin, *, raw: bool = False) -> str:
    """The report as HTML.

    Parameters
    ----------
    correlated : the coefficients of the boards with the reference, with their intervals
    raw : draw scores as they are, not re-normalised
    """
    frames = {found.names[name]: board.rows for name, board in found.boards.items()}
    titles = {found.names[name]: board.title for name, board in found.boards.items()}
    reference = correlated[0].reference if correlated else None
    title = f"Examboard: {origin.collection}"
    sections = [
        _head(title, origin),
        _section("Leaderboard", _chart(frames, found.order, reference, raw=raw)) if frames else "",
        _section(f"Correlation with {reference}", _coefficients(correlated, found.names)) if correlated else "",
        _section("Agreement with the human judgments", _table(found.agreements, "Labels against judgments"))
        if len(found.agreements)
        else "",
        *(
            _section(f"Scores: {name}", _table(shown_rows(ROWS.of(rows)), titles[name]))
            for name, rows in frames.items()
        ),
        _section("Notes", _list(found.notes)) if found.notes else "",
        _section("What is missing", _list(found.missing)) if found.missing else "",
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style>{drawing_code()}</head><body><main>{''.join(sections)}</main></body></html>\n"
    )


def _head(title: str, origin: Origin) -> str:
    facts = {
        "Choice": origin.words,
        "Data": f"{origin.collection}, fingerprint {origin.fingerprint}",
        "Made": f"{origin.made} with Examboard {__version__}",
        **({"In the dashboard": origin.address} if origin.address else {}),
    }
    rows = "".join(f"<dt>{name}</dt><dd><code>{html.escape(fact)}</code></dd>" for name, fact in facts.items())
    return f"<h1>{html.escape(title)}</h1><dl>{rows}</dl><p>{UNDEFINED} marks what is undefined.</p>"


def _section(heading: str, body: str) -> str:
    return f"<section><h2>{html.escape(heading)}</h2>{body}</section>"


def _chart(frames: dict[str, pd.DataFrame], order: list[str], reference: str | None, *, raw: bool) -> str:
    figure = leaderboard_figure(frames, order, raw=raw, reference=reference)
    return embedded(figure, "leaderboard", leaderboard_alternative(frames, order, reference))


def _coefficients(correlated: Sequence[Correlated], names: Mapping[str, str]) -> str:
    rows = []
    for one in correlated:
        row: dict[str, object] = {"series": names.get(one.leaderboard, one.leaderboard), "n": one.correlation.n}
        for name in COEFFICIENTS:
            row |= {name: getattr(one.correlation, name), f"{name}, 95%": interval(one.intervals.get(name))}
            row |= {f"{name}, noise taken out": one.middles.get(name)}
        rows.append(row)
    frame = pd.DataFrame(rows).dropna(axis="columns", how="all")
    caveats = [f"{names.get(one.leaderboard, one.leaderboard)}: {text}" for one in correlated for text in one.caveats]
    table = _table(frame, "Over the runs that both rank; intervals of what endless queries would give")
    return table + (_list(caveats) if caveats else "")


def _table(frame: pd.DataFrame, caption: str) -> str:
    return f'<div class="wide" tabindex="0" role="region">{as_html(frame, NAMES, caption=caption)}</div>'


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(sentence)}</li>' for sentence in sentences)}</ul>"
