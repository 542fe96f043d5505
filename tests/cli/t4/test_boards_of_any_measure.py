"""Leaderboards of measures that nobody knows: the column is said, and the columns of runs have known names."""

import pytest

from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    run = of_report("t4/boards-of-any-measure")
    return lambda file, *more: run("leaderboard", file, "--name", "x", *more)


@pytest.mark.parametrize(
    ("file", "column"),
    [("f.csv", "faithfulness"), ("g.csv", "win_rate"), ("c.csv", "kendall_mean"), ("e.tsv", "kendall_mean")],
)
def test_the_column_that_is_asked_for_is_the_score(bring, tmp_path, file, column):
    assert bring(file, "--column", column).status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"A": 0.3, "B": 0.2}


@pytest.mark.parametrize("file", ["f.csv", "g.csv"])
def test_the_only_column_of_numbers_needs_not_be_asked_for(bring, file):
    assert "1 leaderboard, 2 rows" in bring(file).out


@pytest.mark.parametrize("file", ["c.csv", "e.tsv"])
def test_of_several_columns_one_is_to_be_chosen(bring, file):
    assert "several columns that may be the score: kendall_mean, kendall_worst" in bring(file).err


def test_the_only_column_of_names_is_that_of_runs(bring, tmp_path):
    assert bring("h.csv", "--column", "score").status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"A": 0.3, "B": 0.2}


@pytest.mark.parametrize(
    ("file", "column", "names"),
    [("trulens.csv", "Answer Relevance", "app_name, app_version"), ("full_matrix.csv", "ndcg@10", "retriever, judge")],
)
def test_of_several_columns_of_names_that_of_runs_is_asked_for(bring, file, column, names):
    done = bring(file, "--column", column)
    assert done.status == 1
    assert f"has several columns that may name the runs: {names}" in done.err
    assert f"--as run={names.split(',')[0]}" in done.err


def test_the_column_of_runs_that_is_named_is_read(bring, tmp_path):
    assert bring("trulens.csv", "--column", "Answer Relevance", "--as", "run=app_version").status == 0
    board = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert dict(zip(board["run_id"], board["score"], strict=True)) == {"base": 0.9, "rerank": 0.95}


def test_a_run_that_several_judges_scored_is_refused(bring):
    done = bring("full_matrix.csv", "--column", "ndcg@10", "--as", "run=retriever")
    assert (done.status, "second line for" in done.err) == (1, True)
