"""Every run's score beside the reference's: what the reference lets expect of it, and what is left over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from exam_core.analysis.evaluation.choice import Evaluation
from exam_core.analysis.evaluation.grade_scales import about_scales
from exam_core.analysis.evaluation.leaderboard import Leaderboard, title
from exam_core.analysis.evaluation.references import (
    Reference,
    about_left_out,
    leaderboard_rows,
    needed_reference,
    paired,
)
from exam_core.analysis.evaluation.scope import scope_of
from exam_core.analysis.evaluation.values import counted_values
from exam_core.analysis.shared_columns import MEAN, MOVED, RANK, REFERENCE_RANK, RUN, STDERR
from exam_core.numbers.arrays import Floats
from exam_core.numbers.displacement import normalise, on_line
from exam_core.numbers.means import ScoreSpan, mean_and_stderr, span
from exam_core.numbers.rank_correlations import mean_rank
from exam_core.results import ResultTable, decimal, rank, signed
from exam_core.store import Snapshot

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

    Parameters
    ----------
    raw : leave scores as they are. Then both sides are on one scale if they are of the same measure; re-normalised
        scores are where both boards have the same runs

    Raises
    ------
    UsageError : no such reference, or none to compare with

    Source: re-normalised scores as in EXAM++, figure 2.
    """
    other = needed_reference(snapshot, choice.reference, choice)
    values = counted_values(snapshot, choice)
    both = paired(values, other)
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
    """The runs of a leaderboard without queries beside the reference; one of ranks alone has their negatives as scores.

    Parameters
    ----------
    board : against that reference
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
    rank = np.where(np.isnan(normalise(mine.scores)), np.nan, mean_rank(mine.scores))
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
