"""Assessments of whole responses: words and numbers become grades, a response is one passage."""

import pytest

from exam_core.errors import BadInput
from exam_core.formats.format import Opening
from exam_core.formats.registry import reader, recognised
from exam_core.wings.neighbours.assessed_files import read_assessments

HEADER = "topic_id,run_tag,answer_id,auto_assessment"


@pytest.fixture
def read(tmp_path):
    def run(*rows, header=HEADER, **options):
        path = tmp_path / "judged.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return read_assessments(path, **options)

    return run


def labels(reading):
    grades = reading.frames["grades"]
    return dict(zip(grades["answer"], grades["grade"].astype(object).where(grades["grade"].notna(), None), strict=True))


def test_a_response_is_one_passage_and_each_question_a_grade(read):
    reading = read("t1,a,na-1,supports", "t1,a,na-2,none", "t2,a,na-1,partial", "t1,b,na-1,contradicts")
    assert reading.counts == {"runs": 2, "queries": 2, "answers": 3, "questions": 3, "grades": 4}
    assert reading.frames["rankings"]["doc_id"].tolist() == ["a/t1", "a/t2", "b/t1"]
    assert reading.frames["questions"][["query_id", "question_id"]].to_numpy().tolist() == [
        ["t1", "na-1"],
        ["t1", "na-2"],
        ["t2", "na-1"],
    ]
    assert labels(reading) == {"supports": 2, "none": 0, "partial": 1, "contradicts": 0}
    assert reading.graders["nuggetizer"]["scale"] == 2
    assert "1 nugget is contradicted and counted as not found." in reading.notes


@pytest.mark.parametrize(
    ("said", "grades", "scale"),
    [
        (["met", "unmet"], [1, 0], 1),
        (["Satisfied", "not satisfied"], [1, 0], 1),
        (["0", "0.5", "1"], [0, 1, 2], 2),
        (["0", "3", "2.0"], [0, 3, 2], None),
        (["highly relevant", "irrelevant"], [1, 0], 1),
        (["supports", "who knows"], [2, None], 2),
    ],
)
def test_words_and_numbers_are_grades_of_their_scale(read, said, grades, scale):
    reading = read(*(f"t1,a,q{place},{label}" for place, label in enumerate(said)))
    assert labels(reading) == dict(zip(said, grades, strict=True))
    assert reading.graders["nuggetizer"].get("scale") == scale


def test_criteria_have_weights_and_a_negative_one_is_to_avoid(read):
    reading = read("q,a,Is short,2,met", "q,a,Is rude,-3,met", header="qid,run_id,criterion,weight,verdict")
    columns = ["question_text", "weight", "importance", "enabled"]
    assert reading.frames["questions"][columns].to_numpy().tolist()[1] == ["Is rude", 3.0, "avoid", True]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("t1,,na-1,none", ":3: run_id is missing"),
        ("t1,a,,none", ":3: no question"),
        ("t1,a,na-1,none", "with other values than line 2"),
    ],
)
def test_a_row_that_lacks_something_or_contradicts_is_refused_with_its_line(read, row, says):
    with pytest.raises(BadInput, match=says):
        read("t1,a,na-1,supports", row)


def test_one_name_for_several_runs_is_refused(read):
    with pytest.raises(BadInput, match="holds 2 runs"):
        read("t1,a,na-1,supports", "t1,b,na-1,none", run_id="mine")


@pytest.mark.parametrize(
    "header", ["query_id,run,question_id,doc_id,label", "run_id,topic,score", "query_id,run_id,score"]
)
def test_what_has_a_passage_or_no_question_is_something_else(tmp_path, header):
    path = tmp_path / "other.csv"
    path.write_text(f"{header}\n{'1,' * header.count(',')}1\n")
    found = recognised(Opening(path))
    assert found is None or found.read is not read_assessments


def test_a_long_answer_before_its_criteria_hides_them_from_no_one(tmp_path):
    path = tmp_path / "graded.jsonl"
    answer, criteria = "word " * 2000, '[{"text": "Is short", "weight": 2, "verdict": "not_satisfied"}]'
    path.write_text(f'{{"qid": "1", "run_id": "a", "answer_text": "{answer}", "criteria": {criteria}}}\n')
    reading = reader("assignments", path)(path)
    assert labels(reading) == {"not_satisfied": 0}
