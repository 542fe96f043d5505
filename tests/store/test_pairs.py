"""Which pairs of query and passage a collection has, by what names them."""

import pytest

from exam_core.store.pairs import ASKED, KNOWN, TO_GRADE
from exam_core.store.pairs_to_grade import work
from exam_core.store.summary import evaluated_query_ids, query_ids, summary
from exam_core.tables import POOL

from .store_samples import frame, grades, judgments, rankings, reading


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
