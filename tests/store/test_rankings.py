"""What a run returned for a query, with texts and judgments, and the words of questions; what is not known is None."""

import math

import pandas as pd
import pytest

from exam_core.store.pairs import ranked_passages, texts_of
from exam_core.store.question_texts import query_texts, question_words
from tests.analysis.worlds import store_of


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """One run over a facet's query; d1 is judged under the facet and its page, d2 under the page, d3 nowhere."""
    rankings = [("run", "page/facet", doc, rank, rank, 1.0, False) for rank, doc in enumerate(("d1", "d2", "d3"), 1)]
    judgments = [("official", "page/facet", "d1", 3), ("official", "page", "d1", 1), ("official", "page", "d2", 2)]
    frames = {
        "rankings": rankings,
        "judgments": judgments,
        "passages": [("d1", "<b>one</b>"), ("d2", "مرحبا " * 9)],
        "queries": [("page", "what is it?"), ("other", None)],
    }
    return store_of(tmp_path_factory.mktemp("store"), frames)


def test_passages_come_in_the_order_of_the_ranking_down_to_the_depth(snapshot):
    found = ranked_passages(snapshot, "run", "page/facet")
    assert (found["doc_id"].tolist(), found["relevance"].isna().all()) == (["d1", "d2", "d3"], True)
    assert ranked_passages(snapshot, "run", "page/facet", depth=2)["doc_id"].tolist() == ["d1", "d2"]
    assert ranked_passages(snapshot, "run", "other").empty


def test_a_facets_own_judgment_comes_before_its_pages(snapshot):
    found = ranked_passages(snapshot, "run", "page/facet", qrels_id="official")["relevance"].tolist()
    assert found[:2] == [3.0, 2.0]
    assert math.isnan(found[2])


def test_texts_are_cut_and_left_as_they_are(snapshot):
    texts = ranked_passages(snapshot, "run", "page/facet", characters=10)["text"]
    assert (texts[0], texts[1], pd.isna(texts[2])) == ("<b>one</b>", "مرحبا مرحب"[:10], True)


def test_a_facet_has_the_text_of_its_page(snapshot):
    assert texts_of(snapshot, ["page/facet", "page", "other", "unknown"]) == ["what is it?", "what is it?", None, None]


@pytest.fixture(scope="module")
def worded(tmp_path_factory):
    rows = [
        ("genq", 1, "a", "q1", None, None, "old?", None, 1.0, True),
        ("genq", 2, "a", "q1", "x", "Facet X", "new?", None, 1.0, True),
        ("genq", 2, "b", "q1", "y", None, None, None, 1.0, False),
        ("other", 2, "a", "q1", None, None, "another bank's?", None, 1.0, True),
    ]
    queries = [("q1", "text", "title"), ("q2", None, "title"), ("q3", None, None)]
    frames = {"questions": rows, "queries": queries}
    return store_of(tmp_path_factory.mktemp("words"), frames)


def test_words_are_those_of_the_bank_and_version(worded):
    assert question_words(worded, "genq", 2) == {("a", "q1"): ("new?", "Facet X"), ("b", "q1"): (None, "y")}


def test_a_query_without_text_goes_by_its_title(worded):
    assert query_texts(worded) == {"q1": "text", "q2": "title", "q3": None}
