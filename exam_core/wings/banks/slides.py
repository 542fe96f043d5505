"""The slide and the report's part of Questions: how many runs answer each question, and how it tells runs apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go

from exam_core.analysis.contents import has_questions, question_modes
from exam_core.charts.chart_layout import axis, beginning, sample_rows, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name
from exam_core.reports.part import Asking, PagePart, Part, ReportTable
from exam_core.slides.slide import PageSlide, Slide, SlideContext
from exam_core.wings.banks.health import ROWS, difficulty, kinds_in_words, questions_of_kinds
from exam_core.wording import counted

ROOM = 0.05
"""Of a scale, beside its outermost symbols."""
SYMBOLS = {
    "unanswered": "x",
    "hard": "triangle-down",
    "universal": "triangle-up",
    "negative": "cross",
    "weak": "circle-open",
    "discriminating": "circle",
}


def difficulty_figure(rows: pd.DataFrame, told_from_zero: float) -> go.Figure:
    """Share of the runs that answer a question against its item-rest correlation; one symbol for each kind.

    A question that all runs or none answer has no correlation, and no point. A kind without points is drawn all the
    same, so that each kind keeps its colour. `rows` have query_id, question_id, question_text, kind, runs, runs_share,
    item_rest. `told_from_zero`: smallest correlation that a t test tells from 0; dotted lines; NaN for none.
    """
    figure, known = go.Figure(), rows[rows["item_rest"].notna()]
    counts = ", ".join(f"{number} {kind}" for kind, number in known["kind"].value_counts().items())
    words = (
        f"{counted({'questions': len(known)})} by the share of runs that answer them and by item-rest "
        f"correlation: {counts}. "
        f"Answered by all runs or by none, and so without a correlation: {len(rows) - len(known)}."
    )
    if known.empty:
        words = "No question discriminates between runs: each is answered by all runs or by none."
    rows, which = sample_rows(known)
    for kind, symbol in SYMBOLS.items():
        mine = rows[rows["kind"] == kind]
        figure.add_scatter(
            x=mine["runs_share"],
            y=mine["item_rest"],
            mode="markers",
            name=kind,
            marker={"symbol": symbol, "size": 9, "opacity": 0.75},
            customdata=[
                [row.query_id, row.question_id, escape_name(beginning(row.question_text) or row.question_id), row.runs]
                for row in mine.itertuples()
            ],
            hovertemplate="%{customdata[2]}<br>%{customdata[3]} runs answer it (%{x:.0%})<br>item-rest %{y:.3f}",
        )
    figure.add_hline(y=0, line={"width": 1, "color": "gray"})
    sides = [] if pd.isna(told_from_zero) else [told_from_zero, -told_from_zero]
    for side in sides:
        figure.add_hline(y=side, line={"width": 1, "dash": "dot", "color": "gray"})
    figure.update_layout(
        size_layout(360),
        xaxis=axis(
            f"share of the runs that answer it{which}", range=_around(rows["runs_share"], 0, 1), tickformat=".0%"
        ),
        yaxis=axis("item-rest correlation", range=_around([*rows["item_rest"], *sides], -1, 1)),
    )
    return with_description(figure, words)


def _around(values: Iterable[float], least: float, most: float) -> list[float]:
    """A scale as wide as the values, within what they can be, with room for symbols; all of that without values."""
    known = list(values)
    low, high = (min(known), max(known)) if known else (least, most)
    room = ROOM * max(high - low, ROOM)
    return [max(low - room, least - ROOM * (most - least)), min(high + room, most + ROOM * (most - least))]


def question_slide(context: SlideContext) -> Slide:
    """Questions by how many runs answer them, and by whether good runs do."""
    context.refuse_print()
    snapshot = context.figures.snapshot
    mode = next(iter(question_modes(snapshot, [context.first, *context.view.series])), context.first)
    context = replace(context, view=replace(context.view, series=(mode,)))
    result = context.ask(difficulty, snapshot, context.choice)
    rows = questions_of_kinds(result.rows, tuple(context.view.address.get("difficulty_kind", ())))
    return Slide(
        takeaway=f"{kinds_in_words(result.rows)}{context.at_tau and f' ({context.at_tau[4:]})'}.",
        figure=difficulty_figure(rows, result.told_from_zero),
        table=rows,
        of=ROWS,
        notes=tuple(result.notes),
    )


SLIDES = (PageSlide("Questions", question_slide, 100, takes=has_questions, of_questions=True),)
MOST_QUESTIONS = 25
"""Questions that a report lists; the dashboard has all."""


def _questions(asking: Asking) -> Part | None:
    choice = asking.choice() if asking.of_grades else None
    if choice is None or choice.grading.is_direct:
        return None
    result = asking.ask(difficulty, asking.figures.snapshot, choice)
    about = f"Bank {result.grading.bank_id} at tau {result.tau}, {counted({'runs': result.n_runs})}"
    text = f"{about}: {kinds_in_words(result.rows)}."
    charts = {"difficulty": difficulty_figure(result.rows, result.told_from_zero)}
    worst = result.rows.head(MOST_QUESTIONS).drop(columns="question_id")
    table = ReportTable(worst, ROWS, f"The first {len(worst)} of {len(result.rows):,}, worst first")
    return Part("Questions", [text], charts, [table], result.notes)


PARTS = (PagePart("Questions", _questions, 60),)
