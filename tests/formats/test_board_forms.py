"""Leaderboards as other tools write them: what goes out comes in again."""

import numpy as np
import pandas as pd
import pytest

from exam_core.errors import UsageError
from exam_core.formats.evaluations import read_evaluation
from exam_core.formats.leaderboards import BoardValues, board_lines
from exam_core.formats.registry import reader
from exam_core.formats.sniffing import guess_kind


def made(seed, runs=4, topics=5):
    """A board of runs with blanks in their names, whose values have all their digits and some gaps."""
    rng = np.random.default_rng(seed)
    names = [f"run {chr(65 + run)}" for run in range(runs)]
    values = pd.DataFrame(rng.random((runs, topics)) / 3, names, [str(300 + topic) for topic in range(topics)])
    values.iloc[0, rng.integers(topics)] = np.nan
    rows = pd.DataFrame(
        {"run_id": names, "score": values.mean(axis=1).to_numpy(), "stderr": values.sem(axis=1).to_numpy()}
    )
    return BoardValues("nDCG@10", rows.assign(rank=rows["score"].rank(ascending=False)), values)


@pytest.mark.parametrize("form", ["csv", "run-measure-topic-value"])
@pytest.mark.parametrize("seed", range(5))
def test_what_goes_out_comes_in_again(write, form, seed):
    board = made(seed)
    path = write("".join(f"{line.decode()}\n" for line in board_lines(board, form)), "board.out")
    assert guess_kind(path) == "leaderboard"
    reading = reader("leaderboard", path)(path, leaderboard_id="n")
    said = [note for note in reading.notes if "different numbers of topics" not in note]
    assert (said, reading.counts["leaderboards"]) == ([], 1)
    rows = reading.frames["leaderboards"].set_index("run_id")
    for name in ("rank", "score", "stderr"):
        expected = board.rows.set_index("run_id")[name].reindex(rows.index)
        np.testing.assert_allclose(rows[name], expected, atol=1e-9)
    if form != "csv":
        values = reading.frames["scores"].pivot(index="run_id", columns="query_id", values="value")
        np.testing.assert_array_equal(values.reindex(columns=board.values.columns), board.values)


def test_no_run_is_a_formula_to_a_spreadsheet_and_each_has_its_name_again(write):
    names = ["=1+1", "'=1", "@sum", "-x", "+", "plain's"]
    board = BoardValues("AP", pd.DataFrame({"run_id": names, "rank": 1.0, "score": 0.5, "stderr": np.nan}))
    lines = [line.decode() for line in board_lines(board, "csv")]
    assert [line[:2] for line in lines[1:]] == ["'=", "''", "'@", "'-", "'+", "pl"]
    path = write("".join(f"{line}\n" for line in lines), "board.csv")
    assert reader("leaderboard", path)(path, leaderboard_id="n").frames["leaderboards"]["run_id"].tolist() == names


def test_means_alone_go_out_and_come_in(write):
    board = BoardValues("AP", made(0).rows)
    path = write("".join(f"{line.decode()}\n" for line in board_lines(board, "run-measure-topic-value")))
    reading = read_evaluation(path, leaderboard_id="n")
    np.testing.assert_array_equal(reading.frames["leaderboards"]["score"], board.rows["score"])


@pytest.mark.parametrize(
    ("change", "form", "says"),
    [
        ({"run": "a\tb"}, "run-measure-topic-value", "can't stand in such a file"),
        ({"run": "#a"}, "run-measure-topic-value", "can't stand in such a file"),
        ({"topic": "all"}, "run-measure-topic-value", "A topic is called all"),
    ],
)
def test_what_a_form_has_no_place_for_is_refused(change, form, says):
    board = made(0)
    rows = board.rows.replace({"run_id": {"run A": change.get("run", "run A")}})
    values = board.values.rename(columns={"300": change.get("topic", "300")})
    with pytest.raises(UsageError, match=says):
        list(board_lines(BoardValues("AP", rows, values), form))
    with pytest.raises(UsageError, match="has ranks and no scores"):
        board_lines(BoardValues("AP", rows.assign(score=np.nan)), "run-measure-topic-value")
