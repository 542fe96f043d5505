"""The words of questions and queries; what is not known is None."""

import pytest

from exam_core.store.question_texts import query_texts, question_words
from exam_core.tables import QUERIES, QUESTIONS
from tests.analysis.worlds import store_of, table


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    rows = [
        ("genq", 1, "a", "q1", None, None, "old?", None, 1.0, True),
        ("genq", 2, "a", "q1", "x", "Facet X", "new?", None, 1.0, True),
        ("genq", 2, "b", "q1", "y", None, None, None, 1.0, False),
        ("other", 2, "a", "q1", None, None, "another bank's?", None, 1.0, True),
    ]
    queries = [("q1", "text", "title"), ("q2", None, "title"), ("q3", None, None)]
    frames = {"questions": table(QUESTIONS, rows), "queries": table(QUERIES, queries)}
    return store_of(tmp_path_factory.mktemp("words"), frames)


def test_words_are_those_of_the_bank_and_version(snapshot):
    assert question_words(snapshot, "genq", 2) == {("a", "q1"): ("new?", "Facet X"), ("b", "q1"): (None, "y")}


def test_a_query_without_text_goes_by_its_title(snapshot):
    assert query_texts(snapshot) == {"q1": "text", "q2": "title", "q3": None}
