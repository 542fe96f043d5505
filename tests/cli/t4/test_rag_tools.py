"""What tools write that evaluate generation: refused for what it is, with its own fields and no wrong turn."""

import pytest

from exam_core.store import Store

# Issue F reads these: columns are to be named by whoever imports, or their forms declared.
FIELDS = {
    "ragas.csv": "Its columns are: user_input, retrieved_contexts, response, reference, faithfulness",
    "inspect_samples.csv": "Its columns are: sample_id, eval_id, log, model, id, epoch, input, target",
    "batch_output.jsonl": "Its fields are: id, custom_id, response, error",
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
        ("labels batch_output.jsonl --grader b", "a record without doc_id and relevance"),
        ("responses batch_output.jsonl", "response: expected a text or a list or null, got an object"),
        ("run lmeval.json", "score triviaqa is not a number"),
    ],
)
def test_no_refusal_of_it_leads_to_another_command(of_report, command, says):
    kind, *given = command.split()
    done = of_report("t4/rag-tools")(kind, *given)
    assert (done.status, says in done.err, "It looks like" in done.err) == (1, True, False)
