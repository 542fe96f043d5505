"""Inventory: what each grading mode graded and left out, counted by hand."""

import pytest

from exam_core.analysis.holdings.inventory import collections_table, inventory
from exam_core.formats.reading import Reading
from exam_core.store import Store
from exam_core.store.summary import summary
from exam_core.tables import GRADES, JUDGMENTS, QUESTIONS, RANKINGS
from exam_core.wording import texts_come


def graded(query_id, doc_id, grade, *, grader="g", question="x"):
    return {"grader_id": grader, "question_id": question, "query_id": query_id, "doc_id": doc_id, "grade": grade}


def frame(table, rows):
    return table.frame({name: [row[name] for row in rows] for name in rows[0]})


def ranked(query_id, doc_id, rank):
    row = {"run_id": "r", "query_id": query_id, "doc_id": doc_id}
    return row | {"rank": rank, "source_rank": rank, "score": -rank, "cut": False}


def judged(query_id, doc_id):
    return {"qrels_id": "official", "query_id": query_id, "doc_id": doc_id, "relevance": 1}


@pytest.fixture
def snapshot(tmp_path):
    """Query q1: d1 and d2 graded, d3 judged only, d4 ranked only, d5 ranked too low to matter."""
    question = {"bank_id": "b", "version": 1, "question_id": "x", "query_id": "q1", "weight": 1.0, "enabled": True}
    rows = [graded("q1", "d1", 4), graded("q1", "d1", None, question="y"), graded("q1", "d2", 0)]
    frames = {
        "grades": frame(GRADES, rows),
        "rankings": frame(RANKINGS, [ranked("q1", "d1", 1), ranked("q1", "d4", 20), ranked("q1", "d5", 21)]),
        "judgments": frame(JUDGMENTS, [judged("q1", "d1"), judged("q1", "d3")]),
        "questions": frame(QUESTIONS, [question]),
    }
    store = Store(tmp_path)
    store.commit("c", Reading(frames, {"g": {"llm": "m", "scale": 5}}), source="s")
    return store.snapshot("c")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("grader", "g"),
        ("model", "m"),
        ("scale", 5),
        ("queries", 1),
        ("passages", 2),
        ("grades", 3),
        ("unreadable", 1),
        ("judged_ungraded", 1),
        ("ranked_ungraded", 1),
        ("ranked_unreadable", 0),
    ],
)
def test_each_column_is_counted(snapshot, column, value):
    assert inventory(snapshot).rows[column].tolist() == [value]


def test_ranked_passages_of_which_nothing_can_be_read_are_counted(tmp_path):
    answered = [graded("q", "d1", 1), graded("q", "d2", None), graded("page", "d3", None)]
    ranked_ones = [ranked("q", "d1", 1), ranked("q", "d2", 2), ranked("page/facet", "d3", 1), ranked("q", "d4", 3)]
    store = Store(tmp_path)
    store.commit(
        "c", Reading({"grades": frame(GRADES, answered), "rankings": frame(RANKINGS, ranked_ones)}), source="s"
    )
    assert inventory(store.snapshot("c")).rows["ranked_unreadable"].tolist() == [2]


def test_what_is_known_by_its_id_only_is_noted(snapshot):
    assert inventory(snapshot).notes == [
        "1 of 1 queries have no text; a topics file or a bank brings it.",
        f"5 of 5 passages that runs, judgments and grades name have no text. {texts_come('c')}",
        "1 questions are known by their id only; the bank's file brings their text.",
    ]


@pytest.mark.parametrize(("grades", "ranking"), [("page", "page/facet"), ("page/facet", "page"), ("page", "page")])
def test_a_page_and_its_facets_have_their_grades_in_common(tmp_path, grades, ranking):
    frames = {
        "grades": frame(GRADES, [graded(grades, "d1", 1)]),
        "rankings": frame(RANKINGS, [ranked(ranking, "d1", 1)]),
    }
    store = Store(tmp_path)
    store.commit("c", Reading(frames), source="s")
    assert inventory(store.snapshot("c")).rows["ranked_ungraded"].tolist() == [0]


def test_a_collection_without_grades_has_no_rows(printed_store):
    found = inventory(printed_store.snapshot("dl19-published"))
    assert (len(found.rows), found.notes) == (0, [])


def test_the_label_files_of_dl19_have_more_passages_than_the_graded_file(dl19):
    rows = inventory(dl19).rows.set_index("grader")
    assert rows["passages"]["Sun"] - rows["passages"].iloc[0] == 1800


def test_collections_are_listed_with_their_counts_and_names(printed_store, snapshot):
    found = collections_table(
        [summary(snapshot, reviews=2), summary(printed_store.snapshot("dl19-published"), reviews=0)]
    )
    assert (found["grades"].tolist(), found["reviews"].tolist()) == ([3, 0], [2, 0])
    assert found["leaderboards"].tolist() == ["", "official; genq Cover@20 tau=3; genq P@20 as printed"]


def test_an_empty_store_has_no_collections():
    assert len(collections_table([])) == 0
