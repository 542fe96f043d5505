"""AutoNuggetizer's nuggets and assignments: what is read, what is kept and counted, what is refused with its line."""

import hashlib
import json

import pytest

from exam_core.formats.banks.nuggetizer import read_nuggets
from exam_core.formats.extra import decode_extra
from exam_core.wings.neighbours.assessed_files import contradicts, grade_of, read_assignments


def nugget(text="Rain falls.", importance="vital", **more):
    return {"text": text, "importance": importance} | more


def line(*nuggets, qid="q", **more):
    return {"query": "why does it rain", "qid": qid, "nuggets": list(nuggets)} | more


def answered(*labels, run="a", qid="q", **more):
    nuggets = [nugget(f"n{place}", assignment=label) for place, label in enumerate(labels)]
    return line(*nuggets, qid=qid, answer_text="It rains.", run_id=run) | more


def md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def rows(reading, table, *columns):
    frame = reading.frames[table][list(columns)]
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def test_a_nugget_is_a_question_named_by_its_query_and_the_hash_of_its_text(write):
    reading = read_nuggets(write([line(nugget("Grüße"), nugget("b", "okay"), qid=7)]), bank_id="n")
    assert rows(reading, "questions", "bank_id", "version", "question_id", "query_id", "question_text") == [
        ["n", 1, f"7/{md5('Grüße')}", "7", "Grüße"],
        ["n", 1, f"7/{md5('b')}", "7", "b"],
    ]
    assert rows(reading, "questions", "importance", "weight", "enabled") == [["vital", 1.0, True], ["okay", 1.0, True]]
    assert rows(reading, "queries", "query_id", "query_text") == [["7", "why does it rain"]]
    assert (reading.counts, reading.notes) == ({"queries": 1, "questions": 2}, [])


def test_fields_beyond_text_and_importance_are_kept(write):
    reading = read_nuggets(write([line(nugget(vote=3, nothing=None))]), bank_id="n")
    assert decode_extra(reading.frames["questions"]["extra"].iloc[0]) == {"nuggetizer": {"item": {"vote": 3}}}


def test_other_importances_are_kept_and_counted_and_a_nugget_to_avoid_is_switched_off(write):
    importances = ["failed", "failed", "", None, "vital", "avoid"]
    found = [nugget(f"n{place}", importance) for place, importance in enumerate(importances)]
    reading = read_nuggets(write([line(*found)]), bank_id="n")
    assert rows(reading, "questions", "importance", "enabled") == [[one, one != "avoid"] for one in importances]
    assert sorted(reading.notes) == [
        "1 nugget is to be avoided: switched off, and reported apart.",
        "3 nuggets are neither vital nor okay (failed 2, empty 1): they count only in scores of all nuggets.",
    ]


def test_copies_of_a_text_are_all_kept_the_vital_one_first_in_any_order(write):
    vital, okay = nugget("a", "vital"), nugget("a", "okay")
    names = [f"q/{md5('a')}", f"q/{md5('a')}#2", f"q/{md5('a')}#3"]
    one = read_nuggets(write([line(vital, okay, vital)]), bank_id="n")
    other = read_nuggets(write([line(okay, vital, vital)]), bank_id="n")
    assert rows(one, "questions", "question_id", "importance") == [
        [names[0], "vital"],
        [names[2], "okay"],
        [names[1], "vital"],
    ]
    assert sorted(rows(one, "questions", "question_id", "importance")) == sorted(
        rows(other, "questions", "question_id", "importance")
    )
    assert one.notes == ["2 nuggets repeat a text of their query: each copy counts, under an id that ends in #2."]


def test_a_query_with_ten_thousand_nuggets_is_read(write):
    reading = read_nuggets(write([line(*(nugget(f"n{n}") for n in range(10_000)))]), bank_id="n")
    assert reading.frames["questions"]["question_id"].nunique() == 10_000


BAD = {
    "cut off": ('{"qid": "q", "nuggets": [{"te', ":2: not nuggets of a query: not valid JSON"),
    "a list": ("[1]", ":2: not nuggets of a query: expected an object, got a list"),
    "no qid": ({"nuggets": []}, ":2: not nuggets of a query: qid is missing"),
    "no nuggets": ({"qid": "q"}, ":2: not nuggets of a query: nuggets is missing"),
    "nuggets is a text": (line() | {"nuggets": "a"}, ":2: nuggets: expected a list, got a text"),
    "a nugget is a text": (line() | {"nuggets": ["a"]}, ":2: nuggets[0]: expected an object, got a text"),
    "text is a number": (line({"text": 3}), ":2: nuggets[0].text: expected a text, got a whole number"),
    "importance is a list": (
        line(nugget(importance=[])),
        ":2: nuggets[0].importance: expected a text or null, got a list",
    ),
    "blank": (line(nugget(" \n")), ":2: nuggets 1: a nugget without text"),
    "the query again": (line(qid="q0"), "second line of query q0; the first is line 1"),
    "qid of nothing": (line(nugget(), qid=" "), ":2: query_id is blank"),
    "nested too deep": (line(nugget(more=json.loads("[" * 200 + "]" * 200))), "a field nested more than 100 deep"),
    "not UTF-8": (b'{"qid": "q\xff", "nuggets": []}', ":2: not nuggets of a query: not UTF-8 at byte 11"),
    "half a character": (
        '{"qid": "q", "nuggets": [{"text": "\\ud800"}]}',
        ":2: not nuggets of a query: not valid JSON",
    ),
}


@pytest.mark.parametrize(("bad", "said"), BAD.values(), ids=BAD)
def test_what_is_no_nuggets_is_refused_with_its_line(write, refusal, bad, said):
    raw = bad if isinstance(bad, bytes) else (bad if isinstance(bad, str) else json.dumps(bad)).encode()
    message = refusal(read_nuggets, write(json.dumps(line(qid="q0")).encode() + b"\n" + raw + b"\n"), bank_id="n")
    assert said in message
    assert message.endswith("Nothing was stored.")


LABELS = {
    "support": 2,
    " Support\n": 2,
    "partial_support": 1,
    "not_support": 0,
    "contradiction": 0,
    "Contradictory": 0,
    "failed": None,
    "supporter": None,
    "": None,
    None: None,
}


def test_a_label_has_a_grade_or_can_not_be_read_and_a_contradiction_is_told_from_no_support():
    assert {label: grade_of(label) for label in LABELS} == LABELS
    assert [contradicts(label) for label in ("contradicts", "not_support", None)] == [True, False, False]


def test_an_answer_is_a_passage_and_its_assignments_are_grades(write):
    reading = read_assignments(write([answered("support", "not_support", "odd", response_length=2)]))
    assert rows(reading, "passages", "doc_id", "passage_text") == [["a/q", "It rains."]]
    assert rows(reading, "rankings", "run_id", "query_id", "doc_id", "rank", "extra") == [
        ["a", "q", "a/q", 1, '{"response_length":2}']
    ]
    assert rows(reading, "grades", "grader_id", "question_id", "doc_id", "grade", "answer") == [
        ["nuggetizer", f"q/{md5('n0')}", "a/q", 2, "support"],
        ["nuggetizer", f"q/{md5('n1')}", "a/q", 0, "not_support"],
        ["nuggetizer", f"q/{md5('n2')}", "a/q", None, "odd"],
    ]
    assert reading.graders["nuggetizer"]["scale"] == 2
    assert reading.counts == {"runs": 1, "queries": 1, "answers": 1, "questions": 3, "grades": 3}


def test_labels_that_are_none_of_the_three_are_counted(write):
    reading = read_assignments(write([answered("failed", "failed", "", None, "contradiction", "support")]))
    assert reading.notes == [
        "4 labels are none of support, partial_support, not_support (failed 2, empty 1, none 1): kept, and counted "
        "as not found.",
        "1 nugget is contradicted and counted as not found.",
    ]


def test_several_runs_share_the_nuggets_of_a_query(write):
    reading = read_assignments(write([answered("support", run="a"), answered("not_support", run="b")]))
    assert [len(reading.frames[name]) for name in ("queries", "questions", "rankings", "grades")] == [1, 1, 2, 2]


BAD_ASSIGNMENTS = {
    "no answer": (line(nugget()), ":2: not assignments of an answer: answer_text is missing"),
    "empty answer": (answered("support", answer_text=" "), ":2: an empty answer_text"),
    "no run": (answered("support", run=None), ":2: no run_id"),
    "a label is a number": (answered(2), ":2: nuggets[0].assignment: expected a text or null, got a whole number"),
    "second answer": (answered("support", qid="q0"), ":2: second answer of run a to query q0; the first is in line 1"),
    "cut off": ('{"qid": "q", "answer_text": "a', ":2: not assignments of an answer: not valid JSON"),
    "another importance": (
        answered(run="b", qid="q0", nuggets=[nugget("n0", "okay")]),
        ":2: second nugget for bank nuggets",
    ),
    "another query text": (answered("support", run="b", qid="q0", query="other"), ":2: second text for query q0"),
    "no query text": (answered("support", run="b", qid="q0", query=None), ":2: second text for query q0"),
}


@pytest.mark.parametrize(("bad", "said"), BAD_ASSIGNMENTS.values(), ids=BAD_ASSIGNMENTS)
def test_what_is_no_assignments_is_refused_with_its_line(write, refusal, bad, said):
    raw = bad if isinstance(bad, str) else json.dumps(bad)
    message = refusal(read_assignments, write(f"{json.dumps(answered('support', qid='q0'))}\n{raw}\n"))
    assert said in message
    assert message.endswith("Nothing was stored.")


def test_the_labels_of_the_released_assignments_are_those_counted_in_the_file(shared_data):
    reading = read_assignments(shared_data / "data/rag24_nuggets/assignments_gpt-4o.jsonl.gz")
    # Counted with json and Counter, apart from this code: 1,838 support, 757 partial, 3,523 not, 25 others.
    grades = reading.frames["grades"]["grade"]
    assert (grades.value_counts().to_dict(), int(grades.isna().sum())) == ({0: 3523, 2: 1838, 1: 757}, 25)
    importance = reading.frames["questions"]["importance"]
    assert importance.value_counts().head(3).to_dict() == {"vital": 3557, "okay": 2546, "failed": 10}
    assert len(importance) == 6143


@pytest.mark.parametrize(
    ("name", "nuggets"), [("rag24_nuggets/nuggets.jsonl.gz", 6145), ("nugget_banks/nuggetizer-v4.jsonl.gz", 485)]
)
def test_the_released_nuggets_are_read_whole(shared_data, name, nuggets):
    assert read_nuggets(shared_data / "data" / name, bank_id="n").counts["questions"] == nuggets
