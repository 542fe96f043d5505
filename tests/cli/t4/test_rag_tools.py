"""What tools write that evaluate generation: scores are boards, answers of a batch labels."""

import pytest

from exam_core.store import Store


@pytest.mark.parametrize(
    ("file", "options", "scores"),
    [
        ("deepeval.json", ["--run", "mine"], [("mine", 0.8)]),
        ("lmeval.json", [], [("hf", 0.52)]),
        ("ragas.csv", ["--run", "mine", "--column", "faithfulness"], [("mine", 0.9)]),
        ("inspect_samples.csv", [], [("openai/gpt-4o", 0.5), ("vllm/qwen", 0.5)]),
    ],
)
def test_scores_are_a_board(of_report, tmp_path, file, options, scores):
    assert of_report("t4/rag-tools")("leaderboard", file, "--name", "x", *options).status == 0
    rows = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert list(zip(rows["run_id"], rows["score"], strict=True)) == scores


def test_the_answers_of_a_batch_are_labels_and_one_that_failed_can_not_be_read(of_report, tmp_path):
    bring = of_report("t4/rag-tools")
    assert "2 queries, 4 labels" in bring("labels", "batch_output.jsonl", "--grader", "b").out
    grades = Store(tmp_path / "store").snapshot("c").frame("grades")
    assert sorted(zip(grades["query_id"], grades["doc_id"], strict=True))[0] == ("q1", "d1")
