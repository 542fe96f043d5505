"""Scores of runs beside those of the reference: the line through them, and how far each run is from it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from exam_core.analysis.choice import Evaluation
from exam_core.analysis.grade_scales import about_scales
from exam_core.analysis.leaderboard import Leaderboard, title
from exam_core.analysis.references import Reference, about_left_out, leaderboard_rows, needed_reference, pair_with
from exam_core.analysis.scope import scope_of
from exam_core.analysis.shared_columns import MEAN, MOVED, RANK, REFERENCE_RANK, RUN, STDERR
from exam_core.analysis.values import counted_values
from exam_core.charts.chart_layout import DEMOTED, PROMOTED, QUIET, at_edge, size_layout, with_description
from exam_core.charts.leaderboard_lines import escape_name, in_lines
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import on_line
from exam_core.numbers.means import ScoreSpan, mean_and_stderr, span
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.results import ResultTable, decimal, rank, signed
from exam_core.store import Snapshot
from exam_core.wording import counted, number

ROWS = ResultTable(
    "residuals: rows",
    "Runs of a leaderboard beside its reference, best of the reference first; undefined values are NaN",
    RUN,
    replace(MEAN, name="score"),
    STDERR,
    decimal("reference", "Reference", unit="score"),
    decimal("reference_stderr", "± SE of the reference", unit="score"),
    decimal("expected", "Expected", "The score that the line gives at the reference's value.", "score"),
    signed("residual", "Residual", "Score minus expected score: how far the run is above the line.", "score"),
    RANK,
    replace(REFERENCE_RANK, label="Reference rank"),
    rank(
        "displacement",
        MOVED,
        "Rank in the reference minus own rank, both among these runs: positive where the run is promoted.",
        "ranks",
        form="%+g",
    ),
)


@dataclass(frozen=True)
class Residuals:
    """A leaderboard and its reference, run by run.

    `rows` are `ROWS`, of the runs that both have, among which they are ranked: reference is the reference's rank where
    `of_ranks`, and rank is NaN where all scores are equal.

    Parameters
    ----------
    of_ranks : the reference has ranks and no scores
    identity : the line is that of equal scores, because both sides are on one scale; else it is the least-squares
        line of score on reference
    normalised : scores are mapped to (score - min) / (max - min), and errors divided by the range, as on the
        leaderboard: over all of its runs, and those of the reference over all of the reference's
    over : how many runs the leaderboard has, those without a rank in the reference too
    """

    title: str
    measure: str
    reference: str
    of_ranks: bool
    identity: bool
    normalised: bool
    rows: pd.DataFrame
    over: int
    notes: list[str] = field(default_factory=list)

    @property
    def axes(self) -> dict[str, str]:
        """What a chart of it has as `x`, the reference, and as `y`, the leaderboard."""
        scaled = ", re-normalised" if self.normalised else ""
        ranks = f"rank in {self.reference} (1, the best, on the right)"
        return {"x": ranks if self.of_ranks else f"{self.reference}{scaled}", "y": f"{self.title}{scaled}"}

    def table(self, rows: pd.DataFrame) -> tuple[pd.DataFrame, ResultTable]:
        """Some of its rows as a table shows them, and the table that they are declared in."""
        known = rows.dropna(axis="columns", how="all")
        shown = known.drop(columns="reference", errors="ignore") if self.of_ranks else known
        return shown, ROWS.changed(score={"label": self.axes["y"]}, reference={"label": self.axes["x"]})


@dataclass(frozen=True)
class _BoardSide:
    """(n,) scores and their errors, larger is better; and the span of the board that they are from."""

    scores: Floats
    stderr: Floats
    board: ScoreSpan

    def mapped(self) -> _BoardSide:
        """As the board re-normalises them; NaN where all its scores are equal."""
        return replace(self, scores=self.board.mapped(self.scores), stderr=self.stderr / self.board.width)


def residuals(snapshot: Snapshot, choice: Evaluation, *, raw: bool = False) -> Residuals:
    """The runs of a choice beside the reference.

    `raw` leaves scores as they are: then both sides are on one scale if they are of the same measure; re-normalised
    scores are where both boards have the same runs. Raises UsageError where there is no such reference, or none to
    compare with.

    Source: re-normalised scores as in EXAM++, figure 2.
    """
    other = needed_reference(snapshot, choice.reference, choice)
    values = counted_values(snapshot, choice)
    both = pair_with(values, other)
    mean, stderr, _ = mean_and_stderr(both.values)
    board = span(mean_and_stderr(values.values)[0])
    left = values.averaged - len(both.run_ids)
    rows, identity = _rows(both.run_ids, _BoardSide(mean, stderr, board), snapshot, other, str(choice.measure), raw)
    return Residuals(
        title(choice),
        str(choice.measure),
        other.name,
        not both.has_scores,
        identity,
        not raw,
        rows,
        board.n,
        [
            *scope_of(snapshot, choice).about_unreadable(),
            *about_scales(snapshot, choice),
            *about_left_out(left, values.averaged, other.name),
            *scope_of(snapshot, choice).about_unanswered(both.run_ids),
        ],
    )


def of_board(snapshot: Snapshot, board: Leaderboard, other: Reference, *, raw: bool = False) -> Residuals:
    """The runs of a leaderboard without queries beside the reference that it is against.

    A leaderboard of ranks alone has their negatives as scores.
    """
    shared = board.rows[board.rows["reference_rank"].notna() & board.rows["mean"].notna()]
    over = span(board.rows["mean"].to_numpy(float))
    mine = _BoardSide(shared["mean"].to_numpy(float), shared["stderr"].to_numpy(float), over)
    rows, identity = _rows(shared["run_id"].tolist(), mine, snapshot, other, board.measure, raw)
    left = len(board.rows) - len(shared)
    notes = about_left_out(left, len(board.rows), other.name)
    if leaderboard_rows(snapshot, board.title)["score"].isna().all():
        notes.append(f"Only ranks are printed for {board.title}: negative ranks are used as scores.")
    of_ranks = bool(other.scores.reindex(shared["run_id"]).isna().any())
    return Residuals(board.title, board.measure, other.name, of_ranks, identity, not raw, rows, over.n, notes)


def _rows(
    run_ids: list[str], mine: _BoardSide, snapshot: Snapshot, other: Reference, measure: str, raw: bool
) -> tuple[pd.DataFrame, bool]:
    """The rows, and whether the line is the identity."""
    ranks = mean_rank(-other.ranks.reindex(run_ids).to_numpy(float))
    whole = span(other.scores.to_numpy(float))
    theirs = _BoardSide(other.scores.reindex(run_ids).to_numpy(float), _errors(snapshot, other, run_ids), whole)
    same_runs = mine.board.n == whole.n == len(run_ids)
    of_ranks = bool(np.isnan(theirs.scores).any())
    # Runs that all have the same score have no order.
    rank = np.where(np.isnan(span(mine.scores).width), np.nan, mean_rank(mine.scores))
    if not raw:
        mine, theirs = mine.mapped(), theirs if of_ranks else theirs.mapped()
    x = ranks if of_ranks else theirs.scores
    identity = not of_ranks and (measure in re.split("[ :]", other.name) if raw else same_runs)
    expected = x if identity else on_line(x, mine.scores)
    columns = {
        "run_id": run_ids,
        "score": mine.scores,
        "stderr": mine.stderr,
        "reference": x,
        "reference_stderr": np.full(len(run_ids), np.nan) if of_ranks else theirs.stderr,
        "expected": expected,
        "residual": mine.scores - expected,
        "rank": rank,
        "reference_rank": ranks,
        "displacement": ranks - rank,
    }
    return ROWS.of(columns).sort_values(["reference_rank", "rank", "run_id"], ignore_index=True), identity


def _errors(snapshot: Snapshot, other: Reference, run_ids: list[str]) -> Floats:
    """(n,) standard errors of the reference; NaN where there are none."""
    if other.values is None:
        rows = leaderboard_rows(snapshot, other.name).set_index("run_id")
        return rows["stderr"].reindex(run_ids).to_numpy(float)
    _, stderr, _ = mean_and_stderr(other.values.values)
    return pd.Series(stderr, other.values.run_ids).reindex(run_ids).to_numpy(float)


NAMED = 6
"""Runs that are named beside their points."""
LEVELS = 3
"""Heights of the names in a scatter plot."""
EDGE = 0.15
"""Share of the width in which a name begins or ends at its point, so that the edge does not cut it."""


def scatter_figure(rows: pd.DataFrame, *, x: str, y: str, of_ranks: bool = False, identity: bool = False) -> go.Figure:
    """Scores against the reference with one standard error around them, the line, and below what it leaves over.

    The runs farthest from the line are named. `rows` have run_id, score, stderr, reference, reference_stderr, expected,
    residual, rank, reference_rank. `of_ranks`: the reference has ranks: the best stands on the right, so that agreement
    rises.
    """
    known = rows.dropna(subset=["score", "reference"]).sort_values("reference")
    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.04)
    figure.add_scatter(
        x=known["reference"],
        y=known["expected"],
        mode="lines",
        line={"color": QUIET, "dash": "dash", "width": 2},
        name="equal scores" if identity else "least-squares line",
        hoverinfo="skip",
        row=1,
        col=1,
    )
    far = farthest(known, "residual")
    for name, mine, symbol, size in (
        ("runs", known[~known["run_id"].isin(far)], "circle", 8),
        ("farthest from the line", known[known["run_id"].isin(far)], "diamond", 10),
    ):
        _add_points(figure, mine, name, {"symbol": symbol, "size": size}, named=symbol == "diamond")
    _name_runs(figure, known, far, flipped=of_ranks)
    figure.add_scatter(
        x=[place for x in known["reference"] for place in (x, x, None)],
        y=[end for residual in known["residual"] for end in (0.0, residual, None)],
        mode="lines",
        line={"color": QUIET, "width": 1},
        showlegend=False,
        hoverinfo="skip",
        row=2,
        col=1,
    )
    figure.add_hline(y=0, line={"width": 1, "color": QUIET}, row=2, col=1)
    figure.update_xaxes(automargin=True, zeroline=False)
    if of_ranks and len(known):
        figure.update_xaxes(range=[known["reference"].max() + 1, known["reference"].min() - 0.9])
    figure.update_xaxes(title=in_lines(x), row=2)
    figure.update_yaxes(automargin=True, zeroline=False)
    figure.update_yaxes(title=in_lines(y), row=1)
    figure.update_yaxes(title="residual", row=2)
    figure.update_layout(size_layout(600, top=50), legend=at_edge())
    return with_description(figure, scatter_alternative(rows, x=x, y=y, identity=identity))


def farthest(rows: pd.DataFrame, column: str) -> list[str]:
    """The few runs whose value is farthest from 0, the farthest first; a tie at the end stays out as a whole."""
    size = rows.set_index("run_id")[column].abs().round(9)
    size = size[size > 0].sort_values(ascending=False, kind="stable")
    if len(size) > NAMED and size.iloc[0] > size.iloc[NAMED]:
        size = size[size > size.iloc[NAMED]]
    return [str(run) for run in size.index[:NAMED]]


def _add_points(figure: go.Figure, rows: pd.DataFrame, name: str, marker: dict[str, object], *, named: bool) -> None:
    for row, column in ((1, "score"), (2, "residual")):
        errors = {
            f"error_{axis}": {"type": "data", "array": rows[name], "thickness": 1, "width": 2, "color": QUIET}
            for axis, name in (("y", "stderr"), ("x", "reference_stderr"))
        }
        figure.add_scatter(
            x=rows["reference"],
            y=rows[column],
            mode="markers",
            name=name,
            legendgroup=name,
            showlegend=row == 1 and len(rows) > 0,
            marker=marker | {"color": DEMOTED if named else PROMOTED},
            customdata=[
                [
                    escape_name(run.run_id),
                    number(run.score, ".3f") + ("" if pd.isna(run.stderr) else f" ± {run.stderr:.3f}"),
                    number(run.expected, ".3f"),
                    number(run.residual, "+.3f"),
                    number(run.rank, "g"),
                    number(run.reference_rank, "g"),
                ]
                for run in rows.itertuples()
            ],
            hovertemplate=(
                "%{customdata[0]}<br>score %{customdata[1]}<br>expected %{customdata[2]}, residual %{customdata[3]}"
                "<br>rank %{customdata[4]}, in the reference %{customdata[5]}<extra></extra>"
            ),
            **(errors if row == 1 else {}),
            row=row,
            col=1,
        )


def _name_runs(figure: go.Figure, known: pd.DataFrame, far: list[str], *, flipped: bool) -> None:
    """Names above or below all points, at heights by turns so that neighbours don't cover each other."""
    if known.empty:
        return
    error = known["stderr"].fillna(0)
    low, high = (known["score"] - error).min(), (known["score"] + error).max()
    step = 0.07 * ((high - low) or 1.0)
    figure.update_yaxes(range=[low - (LEVELS + 1) * step, high + (LEVELS + 1) * step], row=1)
    across = (known["reference"] - known["reference"].min()) / (np.ptp(known["reference"]) or 1.0)
    named = known.assign(across=1 - across if flipped else across)[known["run_id"].isin(far)]
    for side, edge in ((1, high), (-1, low)):
        for place, run in enumerate(named[named["residual"] * side > 0].itertuples()):
            figure.add_annotation(
                x=run.reference,
                y=run.score + side * (0 if pd.isna(run.stderr) else run.stderr),
                text=escape_name(run.run_id),
                axref="x",
                ayref="y",
                ax=run.reference,
                ay=edge + side * step * (1 + place % LEVELS),
                xanchor="left" if run.across < EDGE else "right" if run.across > 1 - EDGE else "center",
                arrowwidth=1,
                arrowhead=0,
                arrowcolor=QUIET,
                font={"size": 12},
            )


def scatter_alternative(rows: pd.DataFrame, *, x: str, y: str, identity: bool) -> str:
    """The chart in words: what is drawn, and which runs are farthest from the line."""
    known = rows.dropna(subset=["residual"])
    if known.empty:
        return "No line can be drawn: the scores or the reference's values are all equal."
    line = "the line of equal scores" if identity else "the least-squares line"
    residual = known.set_index("run_id")["residual"]
    listed = ", ".join(f"{run} {residual[run]:+.3f}" for run in farthest(known, "residual"))
    end = f"Farthest from {line}: {listed}." if listed else f"All are on {line}."
    return f"{y} of {counted({'runs': len(known)})} against {x}. {end}"
