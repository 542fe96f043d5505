"""Judgments of a sample are named, and neither read nor taken for runs."""

import pytest

from exam_core.store import Store

FORMS = {
    "legal.probs": "query_id 0 doc_id relevance probability",
    "sampleval.qrels": "query_id 0 doc_id stratum relevance",
    "mq.prels": "query_id doc_id relevance method probability",
    "sampled.qrels": "query_id 0 doc_id relevance probability stratum",
}


@pytest.mark.parametrize("kind", ["qrels", "labels", "run", "files"])
@pytest.mark.parametrize("file", FORMS)
def test_judgments_of_a_sample_are_named_as_such(of_report, tmp_path, file, kind):
    done = of_report("t4/sampled-qrels")(kind, file, *(["--grader", "g"] if kind == "labels" else []))
    assert done.status == 1
    assert f"judgments of a sample ({FORMS[file]}), which are not read" in done.err
    assert "It looks like" not in done.err
    assert not Store(tmp_path / "store").collections()
