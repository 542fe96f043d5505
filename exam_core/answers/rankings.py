"""Runs by a measure: their leaderboard, their values by query, and how well they agree with a reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from exam_core.answers.analysis import Subject, analysis
from exam_core.answers.answer import Answer, described
from exam_core.answers.asking import evaluation, figures, several
from exam_core.errors import UsageError
from exam_core.request import Evaluating, GroupsAsked, Request

if TYPE_CHECKING:
    from exam_core.analysis.figures import Figures


@analysis("leaderboard")
def leaderboard(subject: Subject, options: GroupsAsked) -> Answer:
    """Runs by a measure: mean, standard error, re-normalised score, rank, and rank in the reference.

    Example: examboard leaderboard demo --bank open --measure Cover@20 --tau 3
    """
    import pandas as pd

    from exam_core.analysis.comparison import shown_order
    from exam_core.analysis.shared_columns import TAU
    from exam_core.charts.chart_layout import scale_of
    from exam_core.charts.enlarging import Figure
    from exam_core.charts.leaderboard_lines import leaderboard_figure
    from exam_core.reports.board_lines import board_lines
    from exam_core.reports.json_objects import leaderboard_answer, shown_rows

    contents, (request, taus) = figures(subject, options), several(subject, options)
    _refuse_printed_groups(contents, request)
    boards = contents.boards(request, taus)
    of = boards[0].table
    answers, frames = [leaderboard_answer(board) for board in boards], [of.of(board.rows) for board in boards]
    short = [shown_rows(frame) for frame in frames]
    if len(boards) > 1:
        frames, short = (
            [rows.assign(tau=board.tau) for rows, board in zip(tables, boards, strict=True)]
            for tables in (frames, short)
        )
    first, footer = boards[0], [line for board in boards for line in board_lines(board)]

    def draw() -> Figure:
        by_title = {board.title: board for board in boards}
        rows, order = {title: board.rows for title, board in by_title.items()}, shown_order(by_title)
        scale = scale_of(rows, order, "raw", bounds=[board.bounds for board in boards])
        return leaderboard_figure(rows, order, scale=scale, reference=first.reference)

    return Answer(
        f"{first.collection} {first.measure} at every tau" if taus else f"{first.collection} {first.title}",
        described(pd.concat(frames, ignore_index=True), of.and_also(TAU)),
        footer if taus else footer[1:],
        text=answers if taus else answers[0],
        draw=draw,
        short=pd.concat(short, ignore_index=True),
        footer=footer,
    )


def _refuse_printed_groups(contents: Figures, request: Request) -> None:
    if request.groups == "yes" and contents.in_print:
        raise UsageError(f"--groups yes: {contents.snapshot.collection} has printed figures only, of single runs.")


@analysis("correlate")
def correlate(subject: Subject, options: GroupsAsked) -> Answer:
    """Correlation with a reference: Spearman, Kendall, tau-AP, RBO, R2, RMSE, with 95% intervals over queries.

    tau_ap is tauAP_a (no ties in the reference), tau_ap_b is tauAP_b (Urbano & Marrero 2017).
    Of a published collection every printed column is correlated. A reference is a stored leaderboard,
    a measure over human judgments (qrels:nDCG@10), or over other grades (grades:Cover@20:tau=3).

    Example: examboard correlate demo --bank open --measure P@20 --tau 3 --reference qrels:AP
    """
    import pandas as pd

    from exam_core.analysis.comparison import BESIDE, CORRELATED, IN_PAPERS, coefficients_figure, notes_of
    from exam_core.reports.json_objects import correlation_answer

    contents, (request, taus) = figures(subject, options), several(subject, options)
    _refuse_printed_groups(contents, request)
    result = contents.correlations(request, taus)
    records = correlation_answer(result)
    rows = described(CORRELATED.of(pd.DataFrame(records, columns=CORRELATED.names)), CORRELATED)
    tau_ap = "tau_ap" if rows["tau_ap"].notna().any() else "tau_ap_b"
    against = " and ".join(dict.fromkeys(correlation.reference for correlation in result)) or "nothing"
    return Answer(
        f"{subject.snapshot.collection} against {against}",
        rows,
        notes_of(result),
        text=records,
        short=rows[list(BESIDE)],
        paper=rows[[*IN_PAPERS, tau_ap, "rbo", "n"]],
        draw=lambda: coefficients_figure(rows),
    )


@analysis("evaluate")
def evaluate(subject: Subject, options: Evaluating) -> Answer:
    """A measure's value for every run and query; `leaderboard` shows their means.

    Example: examboard evaluate demo --bank open --measure Cover@20 --tau 3
    """
    import pandas as pd

    from exam_core.analysis.leaderboard import title
    from exam_core.analysis.shared_columns import TAU
    from exam_core.analysis.values import BY_QUERY, by_query

    contents, (request, taus) = figures(subject, options), several(subject, options)
    choice, collection = evaluation(contents, request, "no values by query are printed."), subject.snapshot.collection
    if not taus:
        rows = by_query(contents.snapshot, choice)
        return Answer(f"{collection} {title(choice)}, query by query", described(rows, BY_QUERY))
    frames = [by_query(contents.snapshot, replace(choice, tau=tau)).assign(tau=tau) for tau in taus]
    rows = described(pd.concat(frames, ignore_index=True), BY_QUERY.and_also(TAU))
    return Answer(f"{collection} {request.measure}, query by query, at every tau", rows)
