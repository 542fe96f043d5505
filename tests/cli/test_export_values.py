"""`examboard export values`."""

import json

import pytest

QUESTION = ["collection", "bank", "grader", "judgments", "measure", "tau", "depth", "label_rank"]


def test_exported_values_average_to_the_leaderboard(told, examboard, demo_store, tmp_path):
    file = tmp_path / "values.jsonl"
    asked = ("demo", "--bank", "open", "--tau", "all")
    assert examboard(demo_store, "export", "values", "demo", file, *asked[1:]).status == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    boards = told("leaderboard", *asked)
    for board in boards:
        for row in board["rows"]:
            mine = [one["value"] for one in lines if (one["tau"], one["run_id"]) == (board["tau"], row["run_id"])]
            assert (len(mine), sum(mine) / len(mine)) == (8, pytest.approx(row["mean"]))
    assert len(lines) == sum(8 * len(board["rows"]) for board in boards)
    assert list(lines[0]) == [*QUESTION, "run_id", "query_id", "value"]


def test_print_has_no_values_to_export(examboard, demo_store, tmp_path):
    done = examboard(demo_store, "export", "values", "car-y3-published", tmp_path / "values.jsonl")
    assert (done.status, "no values by query are printed" in done.err) == (1, True)
    assert not list(tmp_path.iterdir())
