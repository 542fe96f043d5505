"""The method grid as a table that can be sorted and clicked: numbers, and their typography beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from exam_core.analysis.shared_columns import RUNS
from exam_core.results import ResultColumn, ResultTable, text
from exam_core.wings.comparing.analysis.mode_grid import COEFFICIENTS, GRID, Grid
from exam_core.wording import UNDEFINED

CSS = {"best": "font-weight: italic 700", "near": "font-weight: 700", "low": "color: #808080", "": ""}
"""Streamlit's tables put the weight before the size of the font, where the slant belongs as well."""
LEGEND = (
    "S: Spearman, K: Kendall. Bold italic: best of its column; bold: within 0.05 of it; grey: below 0.5 (EXAM++, "
    f"table 3). {UNDEFINED}: undefined."
)
WIDE = ResultTable(
    "grid: wide",
    "The grid with a row for each grading mode and tau; two columns for each measure, which are named after it",
    text("line", "Grading mode and tau", "In words."),
    GRID["bank"],
    replace(GRID["grader"], width="medium"),
    replace(GRID["tau"], width="small"),
    replace(GRID["spearman"], label="Measure S"),
    replace(GRID["kendall"], label="Measure K"),
    replace(RUNS, width="small"),
)


@dataclass(frozen=True)
class WideGrid:
    """A grid with a row for each grading mode and tau.

    Parameters
    ----------
    table : its values; NaN is undefined
    css : the same shape, the style of each cell
    columns : `WIDE` with the columns of each measure
    """

    table: pd.DataFrame
    css: pd.DataFrame
    columns: ResultTable


def wide_grid(found: Grid) -> WideGrid:
    """The grid with its measures side by side, in the order of its rows."""
    mode = ["bank", "grader", "tau"]
    rows = found.rows.assign(line=[_line(*row) for row in found.rows[mode].itertuples(index=False)])
    lines = rows.drop_duplicates("line").set_index("line")
    table, css = lines[mode], pd.DataFrame("", lines.index, ["line", *mode])
    heads: list[ResultColumn] = []
    for measure in found.measures:
        mine = rows[rows["measure"] == measure].set_index("line").reindex(lines.index)
        for name in COEFFICIENTS:
            head = f"{found.heading(measure)} {name[0].upper()}"
            heads.append(replace(WIDE[name], name=head, label=head))
            table = table.assign(**{head: mine[name]})
            css = css.assign(**{head: mine[f"style_{name}"].map(CSS)})
    table = table.assign(n=rows.groupby("line")["n"].max()).reset_index()
    columns = ResultTable(WIDE.name, WIDE.meaning, *WIDE.ordered("line", *mode).columns, *heads, WIDE["n"])
    return WideGrid(table, css.assign(n="").reset_index(drop=True), columns)


def best_cells(found: Grid) -> str:
    """The best Kendall of each measure in words."""
    sentences = []
    for measure, mine in found.rows[found.rows["style_kendall"] == "best"].groupby("measure", sort=False):
        measure = found.heading(str(measure))
        first, *others = [_line(*row) for row in mine[["bank", "grader", "tau"]].itertuples(index=False)]
        more = f" and {len(others)} more" if others else ""
        sentences.append(f"Kendall of {measure} is best, {mine['kendall'].iloc[0]:.3f}, for {first}{more}.")
    return " ".join(sentences)


def _line(bank: str | None, grader: str | None, tau: int | None) -> str:
    """A mode and its tau in words."""
    parts = [*(str(part) for part in (bank, grader) if not pd.isna(part)), *([] if pd.isna(tau) else [f"tau {tau}"])]
    return ", ".join(parts)
