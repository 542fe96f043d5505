"""What tools write that evaluate generation: scores are boards, answers of a batch labels, others are refused."""

import pytest

from exam_core.store import Store

FIELDS = {
    "ragas.csv": "Its columns are: user_input, retrieved_contexts, response, reference, faithfulness",
    "inspect_samples.csv": "Its columns are: sample_id, eval_id, log, model, id, epoch, input, target",
}


@pytest.mark.parametrize("file", FIELDS)
def test_what_nobody_knows_is_of_no_kind_and_its_own_fields_are_said(of_report, tmp_path, file):
    done = of_report("t4/rag-tools")("files", file)
    assert (done.status, f"looks like none of the kinds that can be imported. {FIELDS[file]}" in done.err) == (1, True)
    assert not Store(tmp_path / "store").collections()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("leaderboard ragas.csv --name x --run mine --column faithfulness", "no header with a run column"),
    ],
)
def test_no_refusal_of_it_leads_to_another_command(of_report, command, says):
    kind, *given = command.split()
    done = of_report("t4/rag-tools")(kind, *given)
    assert (done.status, says in done.err, "It looks like" in done.err) == (1, True, False)


@pytest.mark.parametrize(
    ("file", "options", "score"),
    [("deepeval.json", ["--run", "mine"], ("mine", 0.8)), ("lmeval.json", [], ("hf", 0.52))],
)
def test_scores_in_json_are_a_board(of_report, tmp_path, file, options, score):
    assert of_report("t4/rag-tools")("leaderboard", file, "--name", "x", *options).status == 0
    rows = Store(tmp_path / "store").snapshot("c").frame("leaderboards")
    assert list(zip(rows["run_id"], rows["score"], strict=True)) == [score]


def test_the_answers_of_a_batch_are_labels_and_one_that_failed_can_not_be_read(of_report, tmp_path):
    bring = of_report("t4/rag-tools")
    assert "2 queries, 4 labels" in bring("labels", "batch_output.jsonl", "--grader", "b").out
    grades = Store(tmp_path / "store").snapshot("c").frame("grades")
    assert sorted(zip(grades["query_id"], grades["doc_id"], strict=True))[0] == ("q1", "d1")
