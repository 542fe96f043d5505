"""Labels as scripts of LLMJudge and umbrela write them: ids under other names, texts beside them, signs of failure."""

import pytest

from exam_core.store import Store


@pytest.fixture
def bring(of_report):
    return of_report("t4/umbrela-labels")


@pytest.fixture
def grades(tmp_path):
    return lambda: Store(tmp_path / "store").snapshot("c").frame("grades")


@pytest.mark.parametrize("beside", [True, False], ids=["beside a run", "in a new collection"])
def test_qidx_and_docidx_are_the_ids_beside_texts(bring, grades, beside):
    if beside:
        bring("run", "a.run")
    assert "2 queries, 16 labels" in bring("labels", "llmjudge.jsonl", "--grader", "g1").out
    assert set(grades()["query_id"]) == {"q1", "q2"}
    assert set(grades()["doc_id"]) == {f"p{number}" for number in range(1, 9)}


@pytest.mark.parametrize("kind", ["labels", "qrels", "run", "files"])
def test_texts_are_taken_for_no_ids(bring, tmp_path, kind):
    done = bring(kind, "umbrela.jsonl", *(["--grader", "g2"] if kind == "labels" else []))
    assert done.status == 1
    assert "umbrela.jsonl:1: texts in query and passage, where ids of queries and passages belong" in done.err
    assert "It has: model, query, passage, prompt, prediction, judgment, result_status" in done.err
    assert "It looks like" not in done.err
    assert not Store(tmp_path / "store").collections()


def test_a_label_that_umbrela_filled_in_is_unreadable(bring, grades):
    bring("run", "a.run")
    assert "1 could not be read (result_status=0 1)" in bring("labels", "umbrela_ids.jsonl", "--grader", "g3").out
    found = grades()
    assert len(found) == 16
    assert found.loc[found["grade"].isna(), ["query_id", "doc_id"]].to_numpy().tolist() == [["q1", "p4"]]


def test_filled_in_labels_are_no_judgments(bring):
    done = bring("qrels", "umbrela_ids.jsonl")
    assert (done.status, "umbrela_ids.jsonl:4: relevance result_status=0 is not a whole number" in done.err) == (
        1,
        True,
    )
