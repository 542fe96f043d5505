"""Pairs of query and passage: which there are, by what names them, and which are to grade."""

import pytest

from exam_core.store.database import Database
from exam_core.store.evidence import TextCounts, named_passages, texts_of_named
from exam_core.store.pairs import ASKED, KNOWN, TO_GRADE
from exam_core.store.pairs_to_grade import work
from exam_core.store.summary import evaluated_query_ids, query_ids, summary
from exam_core.tables import POOL, QUESTIONS

from .store_samples import frame, grades, judgments, passages, queries, rankings, reading


@pytest.fixture
def snapshot(store):
    """Pairs that one table names, and one that all name: `all`, which a run has at place 2 and another at place 1."""
    pool = frame(POOL, "query_id doc_id position", [("q1", "listed", 0), ("q1", "all", 1)])
    store.commit("c", reading(pool), source="pool")
    store.commit("c", reading(judgments(("q2", "judged", 1), ("q1", "all", 0))), source="qrels")
    store.commit("c", reading(grades(("q3", "graded", 4), ("q1", "all", 4))), source="labels")
    one = rankings(("q4", "ranked", 2.0), ("q1", "other", 2.0), ("q1", "all", 1.0))
    store.commit("c", reading(one), source="bm25")
    store.commit("c", reading(rankings(("q1", "all", 1.0), run="second")), source="second")
    return store.snapshot("c")


PAIRS = {
    "known": (KNOWN, {"listed", "judged", "graded", "all"}),
    "to grade": (TO_GRADE, {"listed", "judged", "ranked", "other", "all"}),
    "asked": (ASKED, {"listed", "judged", "all"}),
}


@pytest.mark.parametrize(("pairs", "expected"), PAIRS.values(), ids=PAIRS)
def test_a_pair_is_there_once_if_one_of_its_tables_names_it(snapshot, pairs, expected):
    found = snapshot.query(f"SELECT * FROM ({pairs})")
    assert sorted(found["doc_id"]) == sorted(expected)


def test_the_best_rank_of_a_pair_is_that_of_any_run(snapshot):
    found = snapshot.query(f"SELECT doc_id, best_rank FROM ({TO_GRADE})").set_index("doc_id")["best_rank"]
    assert (found["all"], found["ranked"], found.isna().sum()) == (1, 1, 2)


def test_a_collection_counts_what_is_known_and_grades_what_is_not_known_by_a_grade_alone(snapshot):
    counts = summary(snapshot)
    assert (counts["queries"], counts["passages"], evaluated_query_ids(snapshot)) == (3, 4, ["q1", "q2", "q3"])
    assert query_ids(snapshot) == ["q1", "q2", "q3", "q4"]  # one that a run alone answers
    assert set(work(snapshot, "g", None).pairs["doc_id"]) == {"listed", "judged", "ranked", "other", "all"}


def test_a_run_that_is_left_out_names_nothing(snapshot):
    rest = snapshot.without(["bm25", "second"]).query(f"SELECT doc_id FROM ({TO_GRADE})")["doc_id"]
    assert set(rest) == {"listed", "judged", "all"}


@pytest.fixture
def store_with_work(store):
    """q1 with two questions, d1 ranked first and d2 judged; q2 with one question, d1 ranked third; d3 has no text."""
    asked = [("q1/a", "q1", "A?", True), ("q1/b", "q1", "B?", True), ("q1/c", "q1", "C?", False)]
    asked.append(("q2/a", "q2", "D?", True))
    names = "question_id query_id question_text enabled"
    bank = frame(QUESTIONS, names, asked, bank_id="bank", version=1, weight=1.0)
    ranked = rankings(("q1", "d1", 9.0), ("q2", "d2", 3.0), ("q2", "d3", 2.0), ("q2", "d1", 1.0))
    store.commit("c", reading(passages("d1", "d2"), ranked, bank, queries(q1="one", q2="two")), source="a")
    store.commit("c", reading(judgments(("q1", "d2", 1))), source="b")
    return store


def items(found):
    docs, questions = found.pairs["doc_id"].tolist(), found.questions["question_id"].tolist()
    return [(docs[pair], questions[question]) for pair, question in zip(found.pair, found.question, strict=True)]


def test_every_passage_meets_every_enabled_question_of_its_query(store_with_work):
    found = work(store_with_work.snapshot("c"), "g", ("bank", 1))
    every = [(doc, question) for doc in ("d1", "d2") for question in ("q1/a", "q1/b", "q2/a")]
    assert sorted(items(found)) == [*every, ("d3", "q2/a")]


def test_what_a_run_ranks_high_comes_first(store_with_work):
    found = work(store_with_work.snapshot("c"), "g", ("bank", 1), depth=3)
    first = found.pairs["first"].to_numpy()[found.pair]
    assert first.tolist() == sorted(first, reverse=True)
    # d1 for q1; d2 and d3 for q2, whose last passage d1 is beyond the depth.
    assert items(found)[:4] == [("d1", "q1/a"), ("d1", "q1/b"), ("d2", "q2/a"), ("d3", "q2/a")]


def test_what_this_grader_graded_is_left_out_and_counted(store_with_work):
    store_with_work.commit("c", reading(grades(("q1", "d1", 3), ("q1", "d2", None), grader="g")), source="g")
    store_with_work.commit("c", reading(grades(("q1", "d1", 3), grader="h", question="q1/b")), source="h")
    found = work(store_with_work.snapshot("c"), "g", ("bank", 1))
    assert found.graded == 2
    assert ("d1", "q1/a") not in items(found)
    assert ("d2", "q1/a") not in items(found)  # an answer that can't be read is graded, too
    assert ("d1", "q1/b") in items(found)


def test_without_a_bank_each_passage_of_a_query_is_graded_once(store_with_work):
    found = work(store_with_work.snapshot("c"), "g", None)
    assert sorted(items(found)) == [("d1", None), ("d1", None), ("d2", None), ("d2", None), ("d3", None)]
    assert found.questions["query_text"].tolist() == ["one", "two"]


def test_direct_grades_that_are_there_are_left_out(store_with_work):
    store_with_work.commit("c", reading(grades(("q1", "d1", 1), grader="g", question=None)), source="g")
    found = work(store_with_work.snapshot("c"), "g", None)
    assert found.graded == 1
    assert len(found.pair) == 4


def test_a_passage_without_text_is_there_without_one(store_with_work):
    pairs = work(store_with_work.snapshot("c"), "g", ("bank", 1)).pairs
    assert pairs.loc[pairs["passage_text"].isna(), "doc_id"].tolist() == ["d3"]


def test_passages_that_many_rows_name_are_counted_in_little_memory(store, monkeypatch):
    ids = [f"passage-{number:06}" for number in range(80_000)]
    store.commit("c", reading(judgments(*(("q", doc, 1) for doc in ids))), source="qrels")
    store.commit("c", reading(rankings(*(("q", doc, 1.0) for doc in ids[:10]))), source="run")
    store.commit("c", reading(passages(*ids[5:8], "unnamed")), source="texts")
    snapshot = store.snapshot("c")
    narrow = snapshot.database.narrow
    monkeypatch.setattr(Database, "narrow", lambda *_, **__: narrow("4MiB"))  # too little to tell them apart
    assert set(named_passages(snapshot)) == set(ids)
    assert texts_of_named(snapshot) == TextCounts(80_000, 79_997)
