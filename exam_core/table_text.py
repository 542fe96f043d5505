"""Frames as text: aligned table, CSV, LaTeX (booktabs, and numbers by siunitx), JSON."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from exam_core.results import ResultTable
from exam_core.wording import UNDEFINED as UNDEFINED
from exam_core.wording import guarded, number, rank_interval, rank_text

Format = Literal["table", "csv", "json", "latex", "siunitx"]
Form = str | Callable[[Any], str]
Frame = pd.DataFrame
DIGITS = 3
"""Decimals of a table's numbers."""
SHOWN = 20
"""Rows of a table below another one; JSON has them all."""
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?", re.ASCII)
_QUOTED_OR_END = re.compile(r'("(?:[^"]|"")*")|\r\n')
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    ">=": r"$\geq$",
    "<=": r"$\leq$",
    ">": "$>$",
    "<": "$<$",
    "†": r"$\dagger$",
    "±": r"$\pm$",
    **{"≥": r"$\geq$", "≤": r"$\leq$", "Δ": r"$\Delta$", "²": "$^2$", "×": r"$\times$", "−": "-", "–": "--"},
}


def as_json(value: Any) -> str:
    """JSON text; NaN becomes null, and a whole number is written as one. What a terminal would act upon is escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=1, allow_nan=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def plain(value: Any) -> Any:
    """A value of plain Python types: NaN and NA become None, 3.0 becomes 3."""
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if value is None or value is pd.NA:
        return None
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return None if math.isnan(value) else int(value) if value.is_integer() else value
    return value


def as_text(
    frame: pd.DataFrame, form: Format, *, right: Collection[str] = (), headings: Mapping[str, str] | None = None
) -> str:
    """A frame as an aligned table, CSV (full precision), LaTeX or JSON; undefined is a dash or empty.

    `latex` takes booktabs; `siunitx` that, too, and has numbers below each other by their decimal points. Both begin
    with a comment that names these packages, and leave out columns without any value.

    A column `..._interval` holds pairs; CSV has a column for each end. No spreadsheet takes a cell of CSV for a
    formula: a text that begins like one gets a ' in front.

    `right` are columns of text that stand to the right in a table, as numbers do; `headings` stand in tables and LaTeX.
    """
    if form == "json":
        return as_json(frame)
    if form == "csv":
        frame = _with_ends(frame)
        text_columns = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
        guard = {
            name: frame[name].map(lambda rows: guarded(rows) if isinstance(rows, str) else rows)
            for name in text_columns
        }
        frame = frame.assign(**guard)
        # Python quotes a cell with a sign that ends rows, and to other programs a carriage return is one too.
        csv = str(frame.to_csv(index=False, lineterminator="\r\n"))
        return _QUOTED_OR_END.sub(lambda result: result[1] or "\n", csv).rstrip("\n")
    if form != "table" and len(frame):
        frame = frame.dropna(axis="columns", how="all")
    cells = [[cell(value) for value in row] for row in frame.itertuples(index=False)]
    numeric = [pd.api.types.is_numeric_dtype(frame[name]) or name in right for name in frame.columns]
    names = [(headings or {}).get(name, name) for name in frame.columns]
    if form == "table":
        return _aligned(names, cells, numeric)
    columns = [
        _evenly(frame[name]) if pd.api.types.is_numeric_dtype(frame[name]) else [row[place] for row in cells]
        for place, name in enumerate(frame.columns)
    ]
    evened = [list(row) for row in zip(*columns, strict=True)]
    return (_latex if form == "latex" else _siunitx)(names, evened, numeric)


def first_rows(rows: pd.DataFrame) -> list[str]:
    """The first rows as a table, and how many there are more."""
    more = [f"... and {len(rows) - SHOWN:,} more; --format json has all."] if len(rows) > SHOWN else []
    return [as_text(rows.head(SHOWN), "table"), *more]


def _evenly(column: pd.Series) -> list[str]:
    """A column's numbers with as many decimals each: none if all are whole, one if all are halves, as ranks are."""
    values = [plain(value) for value in column]
    known = [float(value) for value in values if value is not None]
    fewest = next((n for n, step in ((0, 1), (1, 2)) if all((value * step).is_integer() for value in known)), DIGITS)
    return [UNDEFINED if value is None else f"{float(value):.{fewest}f}" for value in values]


def written(value: float, form: str = ".3f") -> str:
    """A number of three digits in a sentence, or that it is undefined."""
    return number(value, form)


def spreadsheet(frame: pd.DataFrame) -> str:
    """A frame as a file of CSV."""
    return as_text(frame, "csv") + "\n"


def to_read(frame: pd.DataFrame, of: ResultTable) -> tuple[pd.DataFrame, ResultTable]:
    """A table as people read it: the two ends of an interval of ranks are one column of texts, such as `1-12`."""
    if not {"rank_low", "rank_high"} <= set(frame.columns) or of["rank_low"].unit != "rank":
        return frame, of
    ends = zip(frame["rank_low"], frame["rank_high"], strict=True)
    sentences = [rank_interval(low, high) or None for low, high in ends]
    interval_column = replace(of["rank_low"], kind="text", form="")
    columns = (interval_column if column.name == "rank_low" else column for column in of.columns)
    shown = frame.assign(rank_low=pd.Series(sentences, frame.index, dtype=object)).drop(columns="rank_high")
    return shown, ResultTable(of.name, of.meaning, *columns)


def places_of(frame: pd.DataFrame, of: ResultTable) -> dict[str, Callable[[float], str]]:
    """How ranks of runs are written for people, by the columns in which some are shared: `2=` is tied 2nd.

    Numbers stay below, since statistics take the mean of shared places, and tables are sorted by it.
    """
    is_of_runs = "run_id" in frame and frame["run_id"].is_unique
    columns = [of[name] for name in frame.columns if of[name].is_rank]
    return {
        column.name: partial(rank_text, ranks=frame[column.name].tolist() if is_of_runs else ())
        for column in columns
        if (is_of_runs and frame[column.name].dropna().duplicated().any()) or (frame[column.name] % 1 > 0).any()
    }


def declared_html(frame: pd.DataFrame, of: ResultTable, *, caption: str) -> str:
    """A frame as an HTML table with the headings and formats of its declaration."""
    frame, of = to_read(frame, of)
    columns = [of[name] for name in frame.columns]
    flags = [column.name for column in columns if column.kind == "flag"]
    frame = frame.assign(**{name: frame[name].map({True: "yes", False: "no"}) for name in flags})
    forms: dict[str, Form] = {column.name: column.form for column in columns if column.form}
    names = {column.name: column.label for column in columns}
    return as_html(frame, names, caption=caption, forms=forms | places_of(frame, of))


def as_html(
    frame: pd.DataFrame, names: Mapping[str, str], *, caption: str, forms: Mapping[str, Form] | None = None
) -> str:
    """A frame as an HTML table, every text letter for letter, with these headings; a column without one keeps its name.

    `forms` say how a column's numbers are written: as %-formatting has it, `percent`, `localized` (thousands parted),
    or by a function.
    """
    forms = forms or {}
    head = "".join(f'<th scope="col">{html.escape(names.get(name, name))}</th>' for name in frame.columns)
    rows = "".join(
        f"<tr>{''.join(_html_cell(row[name], forms.get(name)) for name in frame.columns)}</tr>"
        for row in frame.to_dict("records")
    )
    caption = html.escape(caption)
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _html_cell(value: Any, form: Form | None) -> str:
    value = plain(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        how = ' dir="auto"' if isinstance(value, str) else ' style="text-align: right"' if form else ""
        return f"<td{how}>{html.escape(cell(value))}</td>"
    written = {None: cell(value), "percent": f"{value:.1%}", "localized": f"{value:,}"}
    shown = form(value) if callable(form) else written[form] if form is None or form in written else form % value
    return f'<td style="text-align: right">{shown}</td>'


def _with_ends(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with columns `..._low` and `..._high` in the place of each `..._interval`."""
    columns: dict[str, Any] = {}
    for name in frame.columns:
        stem = name.removesuffix("_interval")
        if stem == name:
            columns[name] = frame[name]
        else:
            ends = [pair or (None, None) for pair in frame[name]]
            columns[f"{stem}_low"], columns[f"{stem}_high"] = [low for low, _ in ends], [high for _, high in ends]
    return pd.DataFrame(columns)


def cell(value: Any) -> str:
    """A value as tables have it: three decimals, or a dash where it is undefined."""
    value = plain(value)
    if value is None:
        return UNDEFINED
    if isinstance(value, list):
        return f"[{', '.join(cell(item) for item in value)}]"
    return f"{value:.{DIGITS}f}" if isinstance(value, float) else str(value)


def _aligned(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    widths = [max(len(row[place]) for row in [names, *cells]) for place in range(len(names))]
    lines = [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in [names, *cells]
    ]
    return "\n".join(lines)


def _latex(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    columns = "".join("r" if right else "l" for right in numeric)
    head, *body = [list(map(escaped, row)) for row in [names, *cells]]
    return _booktabs(columns, head, body, "booktabs")


def _siunitx(names: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    """Columns of numbers are of type S; what is no number there is in braces, which siunitx leaves alone."""
    columns = [_number_column([row[place] for row in cells]) if right else "l" for place, right in enumerate(numeric)]
    head = [f"{{{escaped(name)}}}" if right else escaped(name) for name, right in zip(names, numeric, strict=True)]
    body = [
        [
            cell if right and _NUMBER.fullmatch(cell) else (f"{{{escaped(cell)}}}" if right else escaped(cell))
            for cell, right in zip(row, numeric, strict=True)
        ]
        for row in cells
    ]
    return _booktabs("".join(columns), head, body, "booktabs,siunitx")


def _number_column(cells: list[str]) -> str:
    """Type S with room for the longest number before and after the point, and for a sign where one has it."""
    matches = [match for cell in cells if (match := _NUMBER.fullmatch(cell))]
    whole, part = (
        max((len(match[group] or "") for match in matches), default=least) for group, least in ((2, 1), (3, 0))
    )
    sign = "-" if any(match[1] for match in matches) else ""
    return f"S[table-format={sign}{whole}{f'.{part}' if part else ''}]"


def _booktabs(columns: str, head: list[str], body: list[list[str]], packages: str) -> str:
    lines = [" & ".join(row) + r" \\" for row in [head, *body]]
    return "\n".join(
        [
            rf"% Needs \usepackage{{{packages}}}.",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def escaped(text: str) -> str:
    """A text as LaTeX prints it."""
    return re.sub("[<>]=|.", lambda match: _LATEX.get(match[0], match[0]), text)
