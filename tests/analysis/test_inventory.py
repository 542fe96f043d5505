"""Inventory: what each grading mode graded and left out, counted by hand."""

import pytest

from exam_core.analysis.contents import collections_table, inventory
from exam_core.store.summary import summary
from exam_core.wording import texts_come
from tests.wings import rows_added

from .worlds import question, store_of


def ranked(query_id, doc_id, rank):
    return ("r", query_id, doc_id, rank, rank, -float(rank), False)


@pytest.fixture
def snapshot(tmp_path):
    """Query q1: d1 and d2 graded, d3 judged only, d4 ranked only, d5 ranked too low to matter."""
    frames = {
        "grades": [("g", "x", "q1", "d1", 4), ("g", "y", "q1", "d1", None), ("g", "x", "q1", "d2", 0)],
        "rankings": [ranked("q1", "d1", 1), ranked("q1", "d4", 20), ranked("q1", "d5", 21)],
        "judgments": [("official", "q1", doc, 1) for doc in ("d1", "d3")],
        "questions": [question("x", "q1", "b", question_text=None)],
    }
    return store_of(tmp_path, frames, {"g": {"llm": "m", "scale": 5}})


def test_each_column_is_counted(snapshot):
    expected = {"grader": "g", "model": "m", "scale": 5, "queries": 1, "passages": 2, "grades": 3, "unreadable": 1}
    expected |= {"judged_ungraded": 1, "ranked_ungraded": 1, "ranked_unreadable": 0}
    assert inventory(snapshot).rows[list(expected)].to_dict("records") == [expected]


def test_ranked_passages_of_which_nothing_can_be_read_are_counted(tmp_path):
    answered = [("q", "d1", 1), ("q", "d2", None), ("page", "d3", None)]
    ranked_ones = [ranked("q", "d1", 1), ranked("q", "d2", 2), ranked("page/facet", "d3", 1), ranked("q", "d4", 3)]
    frames = {"grades": [("g", "x", *one) for one in answered], "rankings": ranked_ones}
    assert inventory(store_of(tmp_path, frames)).rows["ranked_unreadable"].tolist() == [2]


def test_what_is_known_by_its_id_only_is_noted(snapshot):
    assert inventory(snapshot).notes == [
        "1 of 1 queries have no text; import topics or a bank with texts.",
        f"5 of 5 passages that runs, judgments and grades name have no text. {texts_come('world')}",
        "1 question is known by id only; import the bank's file to add the texts.",
    ]


@pytest.mark.parametrize(("grades", "ranking"), [("page", "page/facet"), ("page/facet", "page"), ("page", "page")])
def test_a_page_and_its_facets_have_their_grades_in_common(tmp_path, grades, ranking):
    frames = {"grades": [("g", "x", grades, "d1", 1)], "rankings": [ranked(ranking, "d1", 1)]}
    assert inventory(store_of(tmp_path, frames)).rows["ranked_ungraded"].tolist() == [0]


def test_collections_are_listed_with_their_counts_and_names(printed_store, snapshot):
    wings = rows_added("COUNTED")
    snapshots = (snapshot, printed_store.snapshot("dl19-published"))
    counts = zip(snapshots, (2, 0), strict=True)
    actual = collections_table([summary(one, **dict.fromkeys(wings, count)) for one, count in counts])
    assert actual[["grades", *wings]].to_dict("list") == {"grades": [3, 0]} | {name: [2, 0] for name in wings}
    assert actual["leaderboards"].tolist() == ["", "official; genq Cover@20 tau=3; genq P@20 as printed"]


def test_without_grades_or_collections_there_are_no_rows(printed_store):
    actual = inventory(printed_store.snapshot("dl19-published"))
    assert (len(actual.rows), actual.notes, len(collections_table([]))) == (0, [], 0)
