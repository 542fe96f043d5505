"""The words of questions and queries; what is not known is None."""

import pytest

from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.questions import query_texts, question_words
from exam_core.tables import QUERIES, QUESTIONS


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("words"))
    rows = [
        ("genq", 1, "a", "q1", None, None, "old?", None, 1.0, True),
        ("genq", 2, "a", "q1", "x", "Facet X", "new?", None, 1.0, True),
        ("genq", 2, "b", "q1", "y", None, None, None, 1.0, False),
        ("other", 2, "a", "q1", None, None, "another bank's?", None, 1.0, True),
    ]
    names = QUESTIONS.names[:10]
    questions = QUESTIONS.frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    queries = QUERIES.frame(
        {"query_id": ["q1", "q2", "q3"], "query_text": ["text", None, None], "title": ["title", "title", None]}
    )
    store.commit("c", Reading({"questions": questions, "queries": queries}), source="test")
    return store.snapshot("c")


def test_words_are_those_of_the_bank_and_version(snapshot):
    assert question_words(snapshot, "genq", 2) == {("a", "q1"): ("new?", "Facet X"), ("b", "q1"): (None, "y")}


def test_a_query_without_text_goes_by_its_title(snapshot):
    assert query_texts(snapshot) == {"q1": "text", "q2": "title", "q3": None}
