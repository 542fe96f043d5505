"""TREC 2025 DRAGUN: responses, assessments of them, and runs of questions are read."""

import pytest


@pytest.fixture
def bring(of_report):
    return of_report("t4/dragun")


def test_a_response_keeps_its_citations(bring):
    assert "1 run, 2 responses, 2 passages, 23 citations" in bring("responses", "report_run.jsonl").out


def test_assessments_of_responses_are_grades_of_rubric_answers(bring):
    said = bring("files", "auto_report_assessments.csv").out
    assert "1 run, 3 queries, 3 answers, 40 questions, 40 grades" in said
    assert "none is 0, partial is 1, supports is 2." in said


def test_the_questions_of_a_run_are_a_bank(bring):
    assert "2 queries, 20 questions" in bring("bank", "task1_run.tsv", "--bank", "t1").out


@pytest.mark.parametrize("kind", ["workbench", "labels --grader auto"])
def test_assessments_lead_to_their_own_import(bring, kind):
    kind, *options = kind.split()
    done = bring(kind, "auto_report_assessments.csv", *options)
    assert (done.status, "It looks like assessments of responses; import it with: " in done.err) == (1, True)
