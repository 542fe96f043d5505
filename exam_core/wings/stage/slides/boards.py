"""Slides of leaderboards: runs in order, beside the reference, and displaced."""

from __future__ import annotations

from contextlib import suppress

import pandas as pd

from exam_core.analysis.contents.display_names import names_of
from exam_core.analysis.displacement.outliers import ROWS as DISPLACEMENTS
from exam_core.analysis.evaluation.standing import SCORES
from exam_core.charts.chart_layout import described, words_of
from exam_core.charts.displacement_charts import displacement_figure
from exam_core.charts.leaderboard_lines import on_axis
from exam_core.charts.strips import MANY, displacement_strips
from exam_core.errors import ExamboardError
from exam_core.reports.displacements import called, flagged_first, most_displaced, runs_to_explain, verdict
from exam_core.reports.picture import BoardView, about_outside, picture_of
from exam_core.slides.slide import PageSlide, Slide, Told
from exam_core.wings.stage.charts.staging import staged
from exam_core.wording import counted, number

COLUMNS = ("rank", "run_id", "normalised", "mean", "stderr", "rank_low", "rank_high", "tier", "displacement")
"""What a room is shown of each run."""
OF_RUNS = ("run_id", "method", "rank", "reference_rank", "rank_displacement", "low", "high", "p", "p_holm")
"""The same of a displacement."""
IN_A_ROOM = 12
"""Runs whose names can be read from the back of a room."""


def leaderboard(told: Told) -> Slide:
    """Runs in the reference's order, those that are flagged as displaced in a colour of their own."""
    found, view = told.comparison, told.view
    look = BoardView(view.shown, view.own("whole_axis") == "true", view.own_order, told.hidden)
    picture = picture_of(told.figures, found, told.asked, look, told.ask)
    drawn = picture.figure()
    flagged = {
        found.names[series]: sorted(rows.loc[rows["flagged"].eq(True), "run_id"])
        for series, rows in _displaced(told).items()
    }
    name = told.first if told.first in found.boards else next(iter(found.boards))
    rows = told.shown(told.ask(told.figures.standing, name, told.asked)).dropna(axis="columns", how="all")
    words = [f"Flagged as displaced by {series}: {', '.join(runs)}." for series, runs in flagged.items() if runs]
    figure = described(staged(drawn, flagged), " ".join([words_of(drawn), *words]))
    said, table = f"{_said(told, name)}.", rows[[one for one in COLUMNS if one in rows]]
    return told.slide(said, figure, table, SCORES, notes=(*about_outside(picture), *found.notes))


def _said(told: Told, series: str) -> str:
    """How close a board is to its reference, and what is displaced; or that no run has a mean."""
    board = told.comparison.boards[series]
    best = board.rows.iloc[0]
    if board.ungraded and best["mean"] != best["mean"]:
        return f"No run has a mean by {told.method}"
    if board.correlation is None:
        of = f"{counted({'runs': len(board.rows)})} by {told.method}"
        return f"{best['run_id']} is the best of {of}, with {number(best['mean'], '.3f')}"
    agreed = told.agreed(board.correlation.kendall, board.reference)
    rows = _displaced(told).get(series)
    if rows is None or rows["flagged"].isna().all():
        return agreed
    n = int(rows["flagged"].sum())
    return (
        f"{agreed}; {n or 'none'} of {counted({'runs': len(rows)})} {'is' if n < 2 else 'are'} significantly displaced"
    )


def _displaced(told: Told) -> dict[str, pd.DataFrame]:
    """How far each series displaces the runs from the boards' reference; nothing where there is none."""
    with suppress(ExamboardError):
        return {name: told.displaced_by(name) for name, board in told.comparison.boards.items() if board.correlation}
    return {}


def outliers(told: Told) -> Slide:
    """How far each run stands from the reference, by every method that is chosen."""
    found = called(told.displaced[0], names_of(told.figures.snapshot))
    methods, of = found.methods["method"].tolist(), told.view.own("outliers_of", "ranks").removesuffix("s")
    rows, drawn = told.shown(found.rows), told.shown(most_displaced(found, IN_A_ROOM))
    draw = displacement_strips if len(methods) >= MANY else displacement_figure
    figure = draw(drawn, methods, found.reference, of=of)
    flagged = rows.loc[rows["flagged"].eq(True), "run_id"]
    strong = on_axis([*runs_to_explain(found)[:1], *flagged])
    figure.layout.yaxis.ticktext = [
        f"<b>{name}</b>" if name in strong else name for name in figure.layout.yaxis.ticktext
    ]
    known = [name for name in OF_RUNS if not rows[name].isna().all()]
    said, aside = verdict(found, tested=False)[0], _left_out(rows, drawn)
    return told.slide(said, figure, flagged_first(rows)[known], DISPLACEMENTS, notes=tuple(found.notes), aside=aside)


def _left_out(rows: pd.DataFrame, drawn: pd.DataFrame) -> str:
    shown, whole = drawn["run_id"].nunique(), rows["run_id"].nunique()
    return f"The {shown} most displaced of {whole} runs." if shown < whole else ""


ROWS = (
    PageSlide("Leaderboard", leaderboard, 10),
    PageSlide("Outliers", outliers, 30),
)
