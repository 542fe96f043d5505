"""Leaderboards as other tools write them: a table, trec_eval's and ir_measures' output, and a table by topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

import numpy as np
import numpy.typing as npt
import pandas as pd

from exam_core.errors import UsageError
from exam_core.formats.measure_names import ALL
from exam_core.request import BoardForm
from exam_core.wording import guarded

_OF_ONE = "ir_measures' form has the values of one run. Name it with --run, or write run-measure-topic-value."


@dataclass(frozen=True)
class BoardValues:
    """A measure's leaderboard with its values by topic, to be written.

    Parameters
    ----------
    rows : run_id, rank, score, stderr; NaN where there is none
    values : by run_id and query_id; NaN where a topic does not count; None where only means are known
    """

    measure: str
    rows: pd.DataFrame
    values: pd.DataFrame | None = None

    @property
    def runs(self) -> list[str]:
        """The runs that have a score, best first."""
        return [str(run) for run in self.rows.loc[self.rows["score"].notna(), "run_id"]]

    def of(self, run_id: str) -> BoardValues:
        """One run of it. Raises UsageError where it is none of the leaderboard."""
        if run_id not in self.runs:
            raise UsageError(f"The leaderboard has no run {run_id} with a score. It has: {', '.join(self.runs)}.")
        return BoardValues(self.measure, self.rows[self.rows["run_id"] == run_id], self.values)


def board_lines(board: BoardValues, form: BoardForm) -> Iterator[bytes]:
    """A leaderboard in a form that `import leaderboard` and other tools read, with all digits that its numbers have.

    trec_eval's form has the runs one after another, the topics of each before the line `runid` and its mean. Raises
    UsageError where the form has no place for it: several runs, or names with tabs or line ends.
    """
    _check_names(board)
    if form == "csv":
        table, rows = StringIO(), board.rows[["run_id", "rank", "score", "stderr"]]
        rows.assign(run_id=rows["run_id"].map(guarded)).to_csv(table, index=False, lineterminator="\n")
        return iter(table.getvalue().rstrip("\n").encode().split(b"\n"))
    if not board.runs:
        raise UsageError("The leaderboard has ranks and no scores. Write it as csv.")
    if form == "ir_measures" and len(board.runs) != 1:
        raise UsageError(_OF_ONE)
    return (line.encode() for line in _lines(board, form))


def _lines(board: BoardValues, form: BoardForm) -> Iterator[str]:
    if form == "run-measure-topic-value":
        yield "run_id\tmeasure\ttopic_id\tvalue"
    score = dict(zip(board.rows["run_id"], board.rows["score"].tolist(), strict=True))
    for run in board.runs:
        for topic, value in _topics(board, run):
            yield _line(form, run, board.measure, topic, value)
        if form == "trec_eval":
            yield _line(form, run, "runid", ALL, run)
        # ir_measures says `all` only behind topics.
        if form == "ir_measures" and board.values is None:
            yield f"{board.measure}\t{score[run]!r}"
        else:
            yield _line(form, run, board.measure, ALL, score[run])


def _topics(board: BoardValues, run: str) -> Iterator[tuple[str, float]]:
    if board.values is not None and run in board.values.index:
        values: npt.NDArray[np.float64] = board.values.loc[run].to_numpy(float)
        for topic, value in zip(board.values.columns, values.tolist(), strict=True):
            if value == value:
                yield str(topic), value


def _line(form: BoardForm, run: str, measure: str, topic: str, value: float | str) -> str:
    cell = value if isinstance(value, str) else repr(float(value))
    if form == "trec_eval":
        return f"{measure:<22}\t{topic}\t{cell}"
    return f"{topic}\t{measure}\t{cell}" if form == "ir_measures" else f"{run}\t{measure}\t{topic}\t{cell}"


def _check_names(board: BoardValues) -> None:
    topics = [] if board.values is None else list(board.values.columns)
    if ALL in topics:
        raise UsageError(f"A topic is called {ALL}, which in these forms is the mean. Write it as csv.")
    for name in (*board.runs, *topics):
        if name != name.strip() or set("\t\r\n") & set(name) or name.startswith("#"):
            raise UsageError(f"{name!r} can't stand in such a file: tabs separate its columns, and # starts a comment.")
