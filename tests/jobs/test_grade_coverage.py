"""What graders did: counts against the slow twin that lists every grade, and the answers that can't be read."""

import pandas as pd
import pytest

from exam_core.formats import Reading
from exam_core.jobs.grade_coverage import coverage, ratings, reasons, unreadable_answers
from exam_core.store import Store
from exam_core.store.pairs_to_grade import work
from exam_core.store.summary import bank_version
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS

WHY = "no grade in it"
ANSWERS = {
    "d1": (5, "5"),
    "d2": (None, "no idea"),
    "d3": (None, "<b>maybe</b>"),
    "d4": (None, "no idea"),
    "d5": (0, "0"),
}
"""Grade and answer of each passage on question k1, which five passages were asked."""


def grades(grader, rows):
    """Rows of (question_id, doc_id, grade, answer) under query q."""
    questions, docs, values, answers = zip(*rows, strict=True)
    size = len(rows)
    return GRADES.frame(
        {"grader_id": [grader] * size, "question_id": list(questions), "query_id": ["q"] * size, "doc_id": list(docs)}
        | {"grade": list(values), "answer": list(answers)}
    )


@pytest.fixture
def snapshot(tmp_path):
    """Six judged passages, two questions and one that is switched off; a rater and a labeller that left holes."""
    rated = [("k1", doc, *said) for doc, said in ANSWERS.items()] + [("k2", "d1", 3, "3"), ("off", "d1", 4, "4")]
    rated += [("k1", "elsewhere", 5, "5")]  # a passage that the collection does not list
    labelled = [(None, "d1", 1, "yes"), (None, "d2", None, "hm")]
    frames = {
        "judgments": JUDGMENTS.frame(
            {"qrels_id": ["official"] * 6, "query_id": ["q"] * 6, "doc_id": [f"d{n}" for n in range(1, 7)]}
            | {"relevance": [0] * 6}
        ),
        "questions": QUESTIONS.frame(
            {"bank_id": ["b"] * 3, "version": [1] * 3, "question_id": ["k1", "k2", "off"], "query_id": ["q"] * 3}
            | {"question_text": ["1?", "2?", "3?"], "weight": [1.0] * 3, "enabled": [True, True, False]}
        ),
        "grades": pd.concat([grades("rater", rated), grades("labeller", labelled)]),
    }
    store = Store(tmp_path)
    store.commit("c", Reading(frames, {"rater": {"scale": 5}, "labeller": {"scale": 1}}), source="test")
    return store.snapshot("c")


def test_graded_and_missing_are_counted_for_each_grader(snapshot):
    # The rater: 6 passages x 2 questions = 12, graded 5 + 1. The labeller: 6 passages, labelled 2.
    rows = coverage(snapshot, "b")[["grader_id", "graded", "missing", "share", "unreadable"]].values.tolist()
    assert rows == [["rater", 6, 6, 0.5, 3], ["labeller", 2, 4, pytest.approx(1 / 3), 1]]


@pytest.mark.parametrize("bank", ["open", "manual"])
def test_the_counts_are_those_of_a_job_that_would_go_on(demo_store, bank):
    demo = Store(demo_store).snapshot("demo")
    row = coverage(demo, bank).iloc[0]
    todo = work(demo, row["grader_id"], (bank, bank_version(demo, bank)))
    assert (row["graded"], row["missing"]) == (todo.graded, len(todo.pair))


def test_without_a_bank_only_labels_of_passages_count(snapshot):
    assert coverage(snapshot, None)["grader_id"].tolist() == ["labeller"]


def test_a_collection_that_nobody_graded_has_no_rows(demo_store):
    assert coverage(Store(demo_store).snapshot("dl19-published"), None).empty


@pytest.mark.parametrize(
    ("grader", "counts"),
    [("rater", [1, 0, 0, 1, 0, 1, 3]), ("labeller", [0, 1, 1])],
    ids=["grades from 0 to 5", "labels 0 and 1"],
)
def test_every_grade_of_the_scale_is_counted_and_the_unreadable_come_last(snapshot, grader, counts):
    rows = ratings(snapshot, grader, "b")
    assert rows["count"].tolist() == counts
    assert rows["grade"].isna().tolist() == [False] * (len(counts) - 1) + [True]
    assert rows["share"].sum() == pytest.approx(1)


def test_a_grader_without_grades_has_shares_of_zero(snapshot):
    assert ratings(snapshot, "nobody", "b")["share"].tolist() == [0.0] * 7


def test_unreadable_answers_are_listed_the_most_frequent_first_with_an_example(snapshot):
    rows = unreadable_answers(snapshot, "rater", "b")
    assert rows.values.tolist() == [["no idea", 2, WHY, "q", "d2", "k1"], ["<b>maybe</b>", 1, WHY, "q", "d3", "k1"]]


def test_reasons_are_counted_with_what_helps(snapshot):
    assert reasons(snapshot, "rater", "b")[["reason", "count"]].values.tolist() == [[WHY, 3]]


def test_only_so_many_unreadable_answers_are_listed(snapshot):
    assert unreadable_answers(snapshot, "rater", "b", limit=1)["answer"].tolist() == ["no idea"]
