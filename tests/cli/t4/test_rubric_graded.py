"""Graded rubrics and a board in JSON, as participants of TREC RAG 2026 have them."""

import json

import pytest

from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    return of_report("t4/rubric-graded")


def test_verdicts_are_grades_of_weighted_criteria_and_give_the_rubric_scores(bring, examboard, tmp_path):
    assert "2 runs, 2 queries, 4 answers, 10 questions, 20 grades" in bring("files", "graded.jsonl").out
    done = examboard(tmp_path / "store", "export", "values", "c", "-", "--measure", "Rubric")
    values = [json.loads(line)["value"] for line in done.out.splitlines()]
    assert values == pytest.approx([0.6, 0.2, 0.0, 0.8])


def test_a_board_in_json_has_its_means_and_its_values_by_topic(bring, tmp_path):
    said = bring("leaderboard", "rubric-results.jsonl", "--column", "mean_score", "--name", "rub").out
    assert "1 leaderboard, 3 rows, 9 values" in said
    snapshot = Store(tmp_path / "store").snapshot("c")
    assert snapshot.frame("leaderboards").set_index("run_id")["score"].to_dict() == {"v0": 0.4, "v1": 0.5, "v2": 0.4}
    values = snapshot.frame("scores")
    assert values[values["run_id"] == "v1"].set_index("query_id")["value"].to_dict() == {
        "t0": 0.7,
        "t1": 0.6,
        "t2": 0.2,
    }
