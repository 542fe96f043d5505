"""Label files: qrels taken as the grades of a grading mode."""

import pytest

from exam_core.errors import BadInput, UsageError
from exam_core.formats.given import given_labels, given_qrels
from exam_core.formats.label_words import numbers_of
from exam_core.formats.labels import parse_scale, read_labels
from exam_core.formats.trec import read_qrels

RELEASED = {
    "FagB": 1,
    "FagB_few": 1,
    "HELM": 1,
    "NuggetSelfRatedPrompt": 5,
    "QuestionSelfRatedUnanswerablePromptWithChoices": 5,
    "Sun": 1,
    "Sun_few": 1,
    "Thomas": 2,
}
"""The released label files of DL19 and the scale of each."""


@pytest.fixture
def read(write):
    return lambda text, grader="mine", name="labels.qrel": read_labels(write(text, name), grader_id=grader)


def test_labels_are_grades_without_a_question(read):
    grades = read("# mine\n1 0 d1 4\r\n1 0 d#2 0\r\n", name="labels.qrel").frames["grades"]
    assert grades.astype(object).where(grades.notna(), None).to_numpy().tolist() == [
        ["mine", None, "1", "d1", 4, None, None, None],
        ["mine", None, "1", "d#2", 0, None, None, None],
    ]


@pytest.mark.parametrize("written", ["3", "1-3", "0-0", "0-128", "0-three", "-0-3", "0-\u0663"])
def test_a_scale_is_written_from_0_to_the_largest_label(written):
    assert parse_scale(" 0 - 3 ") == 3
    with pytest.raises(
        UsageError, match="write it from 0 to the largest label, which is 127 at most, for instance 0-3"
    ):
        parse_scale(written)


@pytest.mark.parametrize(("grader", "scale"), [("Thomas", 2), ("Sun", 1), ("HELM", 1), ("FagB_few", 1)])
def test_labels_beyond_a_known_scale_are_kept_with_a_note(read, grader, scale):
    reading = read(f"q 0 a {scale}\nq 0 b {scale + 1}\nq 0 c 5\n", grader)
    assert (list(reading.frames["grades"]["grade"]), reading.notes) == (
        [scale, scale + 1, 5],
        [f"2 labels are above {scale}, where the scale of {grader} ends; they are kept."],
    )


def test_a_grader_is_described_and_labels_within_its_scale_have_no_note(read):
    assert read("q 0 a 1\n", name="a.qrel").graders == {"mine": {"kind": "labels", "scale": 1, "source": "a.qrel"}}
    assert read("q 0 a 2\nq 0 b 0\n", "Thomas").notes == []


@pytest.mark.parametrize(("grader", "scale"), RELEASED.items())
def test_the_released_labels_have_their_scale_which_only_those_of_thomas_leave(shared_data, grader, scale):
    reading = read_labels(shared_data / f"data/dl19_labels/{grader}.qrel.gz", grader_id=grader)
    beyond = ["13 labels are above 2, where the scale of Thomas ends; they are kept."] if grader == "Thomas" else []
    assert (reading.counts, reading.notes) == ({"queries": 43, "labels": 11_060}, beyond)
    assert reading.graders[grader]["scale"] == scale


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("Not relevant;highly-relevant;Relevant;error", [0, 2, 1]),
        ("relevant;partially relevant", [2, 1]),
        ("irrelevant;not_relevant;related;perfectly relevant", [0, 0, 1, 2]),
        ("True;False", [1, 0]),
        ("2 - relevant;0: not relevant;1 (so so);3", [2, 0, 1]),
        ("1/2 relevant;0", []),
        ("relevant;yes;no", []),
        ("relevant;0;1", []),
        ("green;not relevant", []),
    ],
)
def test_words_of_labels_have_numbers_where_their_order_is_known(words, numbers):
    assert list(numbers_of(words.split(";")).values()) == numbers


LONG = "query,doc,judge,label\nq1,d1,ann,relevant\nq1,d1,gpt-4o,not relevant\nq1,d2,ann,failed\n"


def test_judges_of_one_table_have_sets_of_their_own(write):
    reading = read_labels(write(LONG, "labels.csv"), grader_id="mine")
    assert reading.frames["grades"][["grader_id", "doc_id"]].to_numpy().tolist() == [
        ["ann", "d1"],
        ["gpt-4o", "d1"],
        ["ann", "d2"],
    ]
    assert reading.frames["grades"]["grade"].fillna(-1).tolist() == [1, 0, -1]
    assert list(reading.graders) == ["ann", "gpt-4o"]
    assert reading.counts == {"judges": 2, "queries": 1, "labels": 3}
    assert reading.notes[1:] == [
        "Its labels are words: not relevant is 0, relevant is 1.",
        "Each judge's are kept apart: ann, gpt-4o.",
    ]


def test_a_table_of_one_judge_has_the_name_that_is_given(write):
    reading = read_qrels(write(LONG.replace("gpt-4o", "ann").replace("not ", "").replace("failed", "no")), qrels_id="x")
    assert set(reading.frames["judgments"]["qrels_id"]) == {"x"}


def test_a_row_without_its_judge_is_refused(write, refusal):
    message = refusal(read_qrels, write(LONG.replace("ann,failed", ",no").replace("not relevant", "no")), qrels_id="x")
    assert "4: judge is missing" in message


def test_labels_with_decimals_keep_them_beside_the_whole_number_that_is_not_above_them(read):
    reading = read("q 0 a 2.75\nq 0 b 3.0\nq 0 c -0.5\nq 0 d ERROR\nq 0 e 1\n")
    grades = reading.frames["grades"]
    assert grades["grade"].astype(object).where(grades["grade"].notna(), None).tolist() == [2, 3, -1, None, 1]
    assert grades["decimal"].astype(object).where(grades["decimal"].notna(), None).tolist() == [
        2.75,
        None,
        -0.5,
        *[None] * 2,
    ]
    assert reading.graders["mine"]["scale"] == 3
    assert reading.notes[1].startswith("2 labels have decimals, which are kept: a tau such as 2.5 cuts them.")


def test_a_table_may_have_decimals_with_a_comma_and_a_pair_has_one_label(read, write, refusal):
    grades = read("qid;docid;label\nq;a;0,9\nq;b;1\n", name="labels.csv").frames["grades"]
    assert (grades["grade"].tolist(), grades["decimal"].tolist()[0]) == ([0, 1], 0.9)
    path = write("q 0 a 2.75\nq 0 a 2.5\n")
    assert ":2: second judgment for query q, passage a" in refusal(read_labels, path, grader_id="mine")
    message = refusal(read_qrels, path, qrels_id="mine")
    assert "import them as labels, which keeps decimals" in message


def test_labels_of_python_may_have_decimals():
    frames = given_labels({"q": {"a": 0.25, "b": 2.0, "c": 3}}, grader_id="mine", scale=None).frames
    columns = frames["grades"][["doc_id", "grade", "decimal"]].astype(object)
    assert columns.where(columns.notna(), None).to_numpy().tolist() == [["a", 0, 0.25], ["b", 2, None], ["c", 3, None]]
    with pytest.raises(BadInput, match=r"is 127\.5, not in -126\.\.127"):
        given_labels({"q": {"a": 127.5}}, grader_id="mine", scale=None)
    with pytest.raises(BadInput, match="not a whole number"):
        given_qrels({"q": {"a": 0.5}}, qrels_id="official")
