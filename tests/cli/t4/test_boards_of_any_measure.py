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


# Issue F reads these: the column of runs is to be named by whoever imports, and a board has several judges.
@pytest.mark.parametrize(
    ("file", "column", "header"),
    [
        ("h.csv", "score", "model,score"),
        ("trulens.csv", "Answer Relevance", "app_name,app_version,Answer Relevance"),
        ("full_matrix.csv", "ndcg@10", "retriever,judge,ndcg@10"),
    ],
)
def test_a_column_of_runs_of_another_name_is_asked_for(bring, file, column, header):
    done = bring(file, "--column", column)
    assert done.status == 1
    assert f"{file}:1: no header with a run column (run_id, system, method, run, name)" in done.err
    assert f"  {header}" in done.err
    assert "It looks like" not in done.err
