"""What an analysis answers: rows with units, notes, a figure, and how the command line prints them. Light to load."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from exam_core.errors import UsageError, visible
from exam_core.results import ResultColumn, ResultTable

if TYPE_CHECKING:
    import pandas as pd

    from exam_core.charts.enlarging import Figure

SHOWN = 60
"""Rows that show themselves; `rows` has them all."""
Draw = Callable[[], "Figure"]


class Answer:
    """An answer. In Jupyter its table shows itself; `figure()` is its chart.

    Attributes
    ----------
    title : what was asked, in a line
    rows : DataFrame with the columns of the command line; `rows.attrs` has their units, meanings and sources
    tables : other tables of the answer, by name, as `rows`
    notes : sentences on what is undefined, left out, or to be known
    short : the rows as a table for people has them, where it has fewer columns
    long : whether such a table shows its first rows alone
    paper : the rows as LaTeX has them; by default as such a table
    latex : these as LaTeX, where that is more than a table
    footer : what stands below a table on the command line; by default the notes
    """

    def __init__(
        self,
        title: str,
        rows: pd.DataFrame,
        notes: Sequence[str] = (),
        *,
        tables: dict[str, pd.DataFrame] | None = None,
        text: Any = None,
        draw: Draw | None = None,
        short: pd.DataFrame | None = None,
        long: bool = False,
        paper: pd.DataFrame | None = None,
        footer: Sequence[str] | None = None,
        latex: Callable[[pd.DataFrame], str] | None = None,
    ) -> None:
        self.title, self.rows, self.notes, self.tables = title, rows, list(dict.fromkeys(notes)), tables or {}
        self.short, self.long, self.latex = rows if short is None else short, long, latex
        self.paper = self.short if paper is None else paper
        self.footer = list(notes if footer is None else footer)
        self.told, self._draw = rows if text is None else text, draw

    def figure(self) -> Figure:
        """The chart of the dashboard's page, as a Plotly figure; `figure.layout.meta` describes it in words.

        Raises UsageError where there is none of this answer.

        >>> board = store["demo"].leaderboard(bank="open", measure="P@20", tau=3)
        >>> len(board.figure().data[0].x)  # a point for each run
        15
        """
        if self._draw is None:
            raise UsageError(f"There is no figure of {self.title}. Its values are in .rows.")
        return self._draw()

    def json(self) -> str:
        """The text that the command line prints with --format json.

        >>> import json
        >>> board = store["demo"].leaderboard(bank="open", measure="P@20", tau=3)
        >>> json.loads(board.json())["rows"][0]["run_id"]
        'bm25-rocchio-wide'
        """
        from exam_core.table_text import as_json

        return as_json(self.told)

    def __repr__(self) -> str:
        from exam_core.table_text import as_text

        return visible("\n".join([self.title, "", as_text(self.rows, "table"), *self._below()]))

    def _repr_html_(self) -> str:
        from exam_core.table_text import as_html

        columns = self.rows.attrs.get("headings", {})
        forms = self.rows.attrs.get("forms", {})
        table = as_html(self.rows.head(SHOWN), columns, caption=self.title, forms=forms)
        more = len(self.rows) - SHOWN
        below = [f"{more:,} more rows are in .rows."] if more > 0 else []
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in [*below, *self.notes])
        return f'<div style="overflow-x: auto">{table}{lines}</div>'

    def _below(self) -> list[str]:
        return ["", *self.notes] if self.notes else []


def described(rows: pd.DataFrame, table: ResultTable) -> pd.DataFrame:
    """A copy of a frame that says in its `attrs` what its columns mean: units, meanings, sources.

    The frame of the analysis stays as it is, whatever is done to the copy.
    """
    known = [table.by_name[name] for name in rows.columns if name in table.by_name]
    copy = rows.copy()
    copy.attrs = {
        "table": table.name,
        "meaning": table.meaning,
        "units": {column.name: column.unit for column in known if column.unit},
        "meanings": {column.name: column.help for column in known if column.help},
        "sources": {column.name: column.source for column in known if column.source},
        "headings": {column.name: _heading(column) for column in known},
        "forms": {column.name: column.form for column in known if column.form},
    }
    return copy


def undefined(what: str, question: Mapping[str, Any], to: str, table: ResultTable) -> Answer:
    """The answer where only printed figures are known: no rows, no figure, and a sentence.

    Parameters
    ----------
    to : what there are no values for
    """
    collection, rows = question["collection"], table.of()
    note = f"Only printed figures are known of {collection}: there are no values by query or question to {to}."
    fields = {**question, "rows": rows, "notes": [note]}
    return Answer(f"{collection}: {what}", described(rows, table), [note], text=fields)


def _heading(column: ResultColumn) -> str:
    """A column's heading with its unit, where that says more."""
    says_more = column.unit and column.unit.casefold() not in column.label.casefold()
    return f"{column.label} ({column.unit})" if says_more else column.label
