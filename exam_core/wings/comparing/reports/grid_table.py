"""The method grid as a table of the paper's kind: a row for each mode and tau, two columns for each measure."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd

from exam_core.reports.tables import UNDEFINED, escaped
from exam_core.wings.comparing.analysis.mode_grid import COEFFICIENTS, NEEDS_QUESTIONS, NOT_PRINTED, OTHER_METHOD, Grid

MODE = ("bank", "grader", "tau")
PRINTED_NAMES = {"AP": "MAP"}
LEGEND = (
    "S: Spearman, K: Kendall. **best** of its column, *within 0.05 of the best*, (below 0.5), "
    f"{UNDEFINED}: undefined, blank: not computed."
)
Cell = tuple[float, str, str]
"""Value, style, and why it is undefined."""

_MARKS = {"best": ("**", "**"), "near": ("*", "*"), "low": ("(", ")"), "": ("", "")}
_COMMANDS = {"best": r"\textbf{\textit{%s}}", "near": r"\textbf{%s}", "low": r"\textcolor{gray}{%s}", "": "%s"}


def grid_table(found: Grid) -> pd.DataFrame:
    """The grid as texts, styles as marks, with the decimal points of a column below each other."""
    columns = [f"{_printed(found, name)} {letter}" for name in found.measures for letter in "SK"]
    lines = [[*mode, *(_marked(*cell) for cell in cells), n] for mode, cells, n in _lines(found)]
    return pd.DataFrame(lines, columns=[*MODE, *columns, "n"])


def grid_latex(found: Grid) -> str:
    r"""The grid for LaTeX with booktabs and xcolor: best \textbf{\textit{}}, near \textbf{}, low in gray."""
    names = [escaped(_printed(found, name)) for name in found.measures]
    spans = [(4 + 2 * place, 5 + 2 * place) for place in range(len(names))]
    heads = ["", "", "", *(rf"\multicolumn{{2}}{{c}}{{{name}}}" for name in names), ""]
    letters = ["Bank", "Grader", r"$\tau$", *("S", "K") * len(names), "$n$"]
    body = [[*map(escaped, mode), *(_set(*cell) for cell in cells), n] for mode, cells, n in _lines(found)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{llr{'rr' * len(names)}r}}",
            r"\toprule",
            _row(heads),
            " ".join(rf"\cmidrule(lr){{{first}-{last}}}" for first, last in spans),
            _row(letters),
            r"\midrule",
            *map(_row, body),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _lines(found: Grid) -> list[tuple[list[str], list[Cell], str]]:
    """Each line's mode, its cells measure by measure, and its number of runs."""
    lines = []
    for mode, group in itertools.groupby(found.rows.to_dict("records"), _mode):
        rows = {row["measure"]: row for row in group}
        cells = [
            (rows[name][coefficient], rows[name][f"style_{coefficient}"], rows[name]["undefined"])
            for name in found.measures
            for coefficient in COEFFICIENTS
        ]
        numbers = sorted({int(row["n"]) for row in rows.values() if not pd.isna(row["n"])})
        n = "-".join(map(str, dict.fromkeys(numbers[:1] + numbers[-1:])))
        lines.append((mode, cells, n))
    return lines


def _mode(row: dict[Any, Any]) -> list[str]:
    return ["" if pd.isna(row[name]) else str(row[name]) for name in MODE]


def _marked(value: float, style: str, undefined: str) -> str:
    before, after = _MARKS[style]
    return (before + _number(value, undefined)).rjust(8) + after.ljust(2)


def _set(value: float, style: str, undefined: str) -> str:
    return _COMMANDS[style] % escaped(_number(value, undefined))


def _number(value: float, undefined: str) -> str:
    """Three digits; nothing where there is no such cell, a dash where there is no order."""
    if undefined in (NEEDS_QUESTIONS, NOT_PRINTED, OTHER_METHOD):
        return ""
    return UNDEFINED if undefined else f"{value:.3f}"


def _printed(found: Grid, measure: str) -> str:
    """A measure's heading, with its name as the paper prints it."""
    return PRINTED_NAMES.get(measure, measure) + found.heading(measure).removeprefix(measure)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
