"""The chart, table, slide and report part of Reproduce: how far our scores are from the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from exam_core.aliases import in_words, with_aliases
from exam_core.charts.chart_layout import QUIET, SERIES, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.errors import UsageError
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.results import ResultTable, number, text
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.wings.reproduction.reproduction import (
    DIFFERS,
    EQUAL,
    NEAR,
    OTHERWISE,
    ROWS,
    RULES,
    SUMMARY,
    UNDEFINED,
    VERDICTS,
    Reproduction,
    is_reproduced,
    reproduction,
)
from exam_core.wording import RELIABILITY

NAMED = 5
"""Figures that have their name beside them at most."""
SYMBOLS = ("circle", "diamond", "x", "triangle-up")
COLOURS = (SERIES[2], SERIES[0], SERIES[1], SERIES[5])
"""Green is what reproduces as the paper states it, and nothing else."""


def scores_of(rows: pd.DataFrame) -> pd.DataFrame:
    """The figures that a chart can show: scores and coefficients, not counts, that are defined.

    `rows` have figure, printed (as text), ours and verdict. Returns rows with `value`, the printed value as a number.
    """
    value = rows["printed"].astype(float)
    is_count = ~rows["printed"].str.contains(".", regex=False)
    return rows.assign(value=value)[~is_count & rows["ours"].notna()]


def share_drawn(rows: pd.DataFrame) -> str:
    """How many of the figures a chart can show, and why not the others."""
    drawn, every = len(scores_of(rows)), len(rows)
    if drawn == every:
        return f"All {every} figures are drawn."
    undefined = int(rows["ours"].isna().sum())
    counts = every - drawn - undefined
    why = [
        f"{counts} {'is a count' if counts == 1 else 'are counts'}, whose differences have another unit",
        f"{undefined} {'is' if undefined == 1 else 'are'} undefined here",
    ]
    message = ", and ".join(reason for n, reason in zip((counts, undefined), why, strict=True) if n)
    return f"{drawn} of {every} figures are drawn: {message}. All stand in the table."


def reproduction_figure(rows: pd.DataFrame, verdicts: Sequence[str], near: float) -> go.Figure:
    """Ours minus printed, figure by figure, the largest difference first, a symbol for each verdict that there can be.

    The legend counts all figures of a verdict, as sentences and tables do, and says how many of them are drawn: those
    of `scores_of`, one at least. A band shows how far a figure is at most from print to count as `near`.
    """
    shown = scores_of(rows)
    difference = shown["ours"] - shown["value"]
    shown = shown.assign(difference=difference, far=difference.abs())
    shown = shown.sort_values("far", ascending=False, kind="stable").assign(place=range(1, len(shown) + 1))
    figure = go.Figure()
    figure.add_hrect(-near, near, line_width=0, fillcolor=QUIET, opacity=0.25)
    figure.add_hline(y=0, line={"dash": "dot", "width": 1, "color": QUIET})
    for verdict, symbol, shade in zip(verdicts, SYMBOLS, COLOURS, strict=True):
        group = shown[shown["verdict"] == verdict]
        figure.add_scatter(
            x=group["place"],
            y=group["difference"],
            mode="markers",
            name=_legend(verdict, len(group), int((rows["verdict"] == verdict).sum())),
            marker={"symbol": symbol, "size": 8, "color": shade},
            showlegend=len(group) > 0,
            customdata=[[escape_name(row.figure), row.printed, row.ours] for row in group.itertuples()],
            hovertemplate="%{customdata[0]}<br>printed %{customdata[1]}, ours %{customdata[2]:.4f}<extra></extra>",
        )
    differences = shown["difference"].to_numpy(float)
    room = 0.04 * (max(differences.max(), near) - min(differences.min(), -near))
    beside = len(shown) // 3  # as far as a name reaches
    for row in [
        row
        for place, row in enumerate(shown.head(NAMED).itertuples(), 1)
        if row.far > near and (abs(differences[place : place + beside] - row.difference) >= room).all()
    ]:
        figure.add_annotation(
            x=row.place, y=row.difference, text=escape_name(row.figure), showarrow=False, xanchor="left", xshift=8
        )
    figure.update_xaxes(title="printed figures, the largest difference first", rangemode="tozero", automargin=True)
    figure.update_yaxes(title="ours minus printed", automargin=True)
    figure.update_layout(height=420, margin={"t": 30}, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"})
    return with_description(figure, reproduction_alternative(shown))


def _legend(verdict: str, drawn: int, every: int) -> str:
    return f"{verdict} ({every})" if drawn == every else f"{verdict} ({every}, {drawn} drawn)"


def reproduction_alternative(shown: pd.DataFrame) -> str:
    """The figure in words."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in shown["verdict"].value_counts(sort=False).items())
    farthest = shown.loc[(shown["ours"] - shown["value"]).abs().idxmax()]
    return (
        f"Ours minus printed scores and coefficients, the largest difference first: {counts}. Farthest apart: "
        f"{farthest['figure']}, printed {farthest['printed']}, ours {farthest['ours']:.3f}."
    )


SIGNS = {EQUAL: "✓ equal", OTHERWISE: "≈ equal by another rule", DIFFERS: "✗ differs", UNDEFINED: "- undefined"}
"""Verdicts as the page and its address have them."""
NO_REASON = "No reason is known."

TABLE = ResultTable(
    "reproduction: table",
    "Printed figures beside ours, as a terminal has room for them",
    text("where", "Where", "The paper, and where it prints the figure."),
    ROWS["figure"],
    ROWS["printed"],
    replace(ROWS["ours"], kind="text", form="", unit=""),
    ROWS["difference"],
    ROWS["verdict"],
    ROWS["setting"],
    replace(ROWS["reason"], help="The number of the reason in the list below the table."),
)

REASONS = ResultTable(
    "reproduction: reasons",
    "Why figures are not equal to print, or only by another rule",
    number("figures", "Figures", "Figures that are not equal by the stated rule.", "figures"),
    replace(ROWS["reason"], label="Reason"),
    ROWS["source"],
)


def reasons_table(result: Reproduction) -> pd.DataFrame:
    """`REASONS`, the reason of most figures first."""
    left = result.rows[result.rows["verdict"] != EQUAL].replace({"reason": {"": NO_REASON}})
    rows = left.groupby(["reason", "source"], sort=False).size().rename("figures").reset_index()
    return REASONS.of(rows.sort_values("figures", ascending=False, kind="stable", ignore_index=True))


def table_rows(result: Reproduction) -> pd.DataFrame:
    """The rows as `TABLE`."""
    numbers = {reason: f"[{number}]" for number, reason in enumerate(result.reasons, 1)}
    rows = result.rows
    reason = [numbers.get(pair, "") for pair in zip(rows["reason"], rows["source"], strict=True)]
    where = rows["paper"] + ", " + rows["printed_in"]
    return TABLE.of(rows.assign(where=where, reason=reason, ours=[_as_printed(value) for value in rows["ours"]]))


def _as_printed(value: float) -> str:
    """Counts as whole numbers, fractions with four decimals: one more than is printed."""
    return f"{value:.0f}" if value > 1 and float(value).is_integer() else f"{value:.4f}"


def reproduction_slide(context: SlideContext) -> Slide:
    """Printed scores and coefficients against ours, whatever the control bar says."""
    result = context.ask(reproduction, context.figures.snapshot)
    wanted = context.view.address.get("reproduce_verdicts") or SIGNS.values()
    rows = with_aliases(result.rows[result.rows["verdict"].map(SIGNS).isin(wanted)], context.names)
    if rows.empty or result.basis == RULES or scores_of(rows).empty:
        raise UsageError(f"{result.sentence} None of them is a score that a chart could show.")
    counts = result.counts
    return Slide(
        takeaway=result.sentence,
        figure=reproduction_figure(rows, VERDICTS, NEAR),
        table=rows[[name for name in ROWS.names if name not in ("about", "by_stated_rule", "source")]],
        of=ROWS,
        ticks={
            "share reproduced": (counts[EQUAL] + counts[OTHERWISE]) / len(result.rows),
            f"within {NEAR}": result.near / len(result.rows),
        },
        notes=tuple(result.notes),
        settings=f"{result.collection}: {share_drawn(rows)}",
    )


SLIDES = (
    PageSlide(
        "Reproduce",
        reproduction_slide,
        130,
        takes=is_reproduced,
        part_of=RELIABILITY,
        tabs=("reliability_part", ("Reproduce",)),
    ),
)


def _reproduction(asking: Asking) -> Part | None:
    result = asking.ask(reproduction, asking.figures.snapshot)
    if result.rows.empty:
        return None
    rows = result.summary.assign(about=[in_words(about, asking.names) for about in result.summary["about"]])
    table = ReportTable(rows, SUMMARY, "Printed figures that reproduce, by column or table")
    return Part("Does print reproduce?", [result.sentence], {}, [table], result.notes)


PARTS = (PagePart("Does print reproduce?", _reproduction, 90),)
