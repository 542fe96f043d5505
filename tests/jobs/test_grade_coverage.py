"""What graders did: counts against the slow twin that lists every grade, and the answers that can't be read."""

import pytest

from exam_core.jobs.grade_coverage import coverage, ratings, reasons, unreadable_answers
from exam_core.store import Store
from exam_core.store.pairs_to_grade import work
from exam_core.store.summary import bank_version
from tests.analysis.worlds import question, store_of

WHY = "no grade in it"
ANSWERS = {
    "d1": (5, "5"),
    "d2": (None, "no idea"),
    "d3": (None, "<b>maybe</b>"),
    "d4": (None, "no idea"),
    "d5": (0, "0"),
}
"""Grade and answer of each passage on question k1, which five passages were asked."""


@pytest.fixture
def snapshot(tmp_path):
    """Six judged passages, two questions and one that is switched off; a rater and a labeller that left holes."""
    rated = [("k1", doc, *said) for doc, said in ANSWERS.items()] + [("k2", "d1", 3, "3"), ("off", "d1", 4, "4")]
    rated += [("k1", "elsewhere", 5, "5")]  # a passage that the collection does not list
    labelled = [("d1", 1, "yes"), ("d2", None, "hm")]
    asked = {"k1": True, "k2": True, "off": False}
    frames = {
        "judgments": [("official", "q", f"d{n}", 0) for n in range(1, 7)],
        "questions": [question(name, "q", "b", enabled=enabled) for name, enabled in asked.items()],
        "grades": [("rater", question, "q", *rest) for question, *rest in rated]
        + [("labeller", None, "q", *rest) for rest in labelled],
    }
    return store_of(tmp_path, frames, {"rater": {"scale": 5}, "labeller": {"scale": 1}})


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
