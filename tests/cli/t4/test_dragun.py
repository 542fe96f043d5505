"""TREC 2025 DRAGUN: responses are read; assessments and question runs are refused for what they lack."""

import pytest


@pytest.fixture
def bring(of_report):
    return of_report("t4/dragun")


def test_a_response_keeps_its_citations(bring):
    assert "1 run, 2 responses, 2 passages, 23 citations" in bring("responses", "report_run.jsonl").out


# Issue F reads these: columns are to be named by whoever imports.
@pytest.mark.parametrize(
    ("file", "kind", "says"),
    [
        ("auto_report_assessments.csv", "workbench", "no column for doc_id (doc_id or docno); question_id"),
        ("auto_report_assessments.csv", "labels --grader auto", "no column for doc_id (doc_id or docno); relevance"),
        ("auto_report_assessments.csv", "assignments", "a table; a file of the kind assignments is written as"),
        ("auto_report_assessments.csv", "files", "Its columns are: topic_id, run_tag, answer_id, auto_assessment"),
        ("task1_run.tsv", "bank --bank t1", "no header, and without one the columns are unknown"),
    ],
)
def test_what_is_not_read_is_refused_for_what_it_lacks(bring, file, kind, says):
    kind, *options = kind.split()
    done = bring(kind, file, *options)
    assert (done.status, says in done.err, "It looks like" in done.err) == (1, True, False)
