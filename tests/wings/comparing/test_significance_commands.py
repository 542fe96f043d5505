"""`examboard significance` of an imported leaderboard."""

import json

import pandas as pd

from exam_core.wings.comparing.run_pairs import Significance
from exam_core.wings.comparing.stability import significance_lines
from tests.cli.test_importing_commands import demo as demo

JUDGED = ("--judgments", "official", "--measure", "nDCG@10")


def test_a_leaderboard_that_was_imported_by_query_is_tested(demo, tmp_path):
    runs = ("bm25", "bm25-flat", "lsa-8")
    files = [tmp_path / f"{run}.eval" for run in runs]
    for run, file in zip(runs, files, strict=True):
        demo("export", "leaderboard", "demo", file, *JUDGED, "--form", "ir_measures", "--run", run)
    demo("import", "leaderboard", *files, "--name-from", "file", "--name", "judged", "--collection", "demo")
    tested = json.loads(demo("significance", "demo", "--leaderboard", "judged", "--format", "json").out)
    board = json.loads(demo("leaderboard", "demo", *JUDGED, "--format", "json").out)
    means = {row["run_id"]: row["mean"] for row in board["rows"]}
    assert {row["run_id"]: row["mean"] for row in tested["rows"]} == {run: means[run] for run in runs}
    beside = demo("significance", "demo", "--leaderboard", "judged", "--baseline", "bm25", "--format", "json")
    assert len(json.loads(beside.out)["rows"]) == 2


def test_a_leaderboard_without_values_by_query_is_not_tested(demo, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("run,AP\nbm25,0.1\n")
    demo("import", "leaderboard", path, "--name", "n", "--collection", "demo")
    refused = demo("significance", "demo", "--leaderboard", "n")
    assert (refused.status, "n has no values by query" in refused.err) == (2, True)


def test_it_says_how_many_runs_the_first_one_is_better_than():
    pairs = pd.DataFrame({"run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"], "separable": [False, True, True]})
    lines = significance_lines(Significance("n", "t", 9, 0, pd.DataFrame(), pairs, {}))
    assert lines[2] == "a is significantly better than 1 of 2 other runs."
