"""What tools write that evaluate generation: answers of a batch are labels, others are refused as what they are."""

import pytest

from exam_core.store import Store

# Issue F reads these: columns are to be named by whoever imports, or their forms declared.
FIELDS = {
    "ragas.csv": "Its columns are: user_input, retrieved_contexts, response, reference, faithfulness",
    "inspect_samples.csv": "Its columns are: sample_id, eval_id, log, model, id, epoch, input, target",
    "deepeval.json": "Its fields are: testRunData",
    "lmeval.json": "Its fields are: results, config, n-samples",
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
        ("run lmeval.json", "score triviaqa is not a number"),
    ],
)
def test_no_refusal_of_it_leads_to_another_command(of_report, command, says):
    kind, *given = command.split()
    done = of_report("t4/rag-tools")(kind, *given)
    assert (done.status, says in done.err, "It looks like" in done.err) == (1, True, False)


def test_the_answers_of_a_batch_are_labels_and_one_that_failed_can_not_be_read(of_report, tmp_path):
    bring = of_report("t4/rag-tools")
    assert "2 queries, 4 labels" in bring("labels", "batch_output.jsonl", "--grader", "b").out
    grades = Store(tmp_path / "store").snapshot("c").frame("grades")
    assert sorted(zip(grades["query_id"], grades["doc_id"], strict=True))[0] == ("q1", "d1")
