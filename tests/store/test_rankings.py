"""What a run returned for a query, with texts and judgments."""

import math

import pandas as pd
import pytest

from exam_core.store.pairs import ranked_passages, texts_of
from exam_core.tables import JUDGMENTS, PASSAGES, QUERIES, RANKINGS
from tests.analysis.worlds import store_of, table


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """One run over a facet's query; d1 is judged under the facet and its page, d2 under the page, d3 nowhere."""
    rankings = [("run", "page/facet", doc, rank, rank, 1.0, False) for rank, doc in enumerate(("d1", "d2", "d3"), 1)]
    judgments = [("official", "page/facet", "d1", 3), ("official", "page", "d1", 1), ("official", "page", "d2", 2)]
    frames = {
        "rankings": table(RANKINGS, rankings),
        "judgments": table(JUDGMENTS, judgments),
        "passages": table(PASSAGES, [("d1", "<b>one</b>"), ("d2", "مرحبا " * 9)]),
        "queries": table(QUERIES, [("page", "what is it?"), ("other", None)]),
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
