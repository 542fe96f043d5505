"""What a run returned for a query, with texts and judgments."""

import math

import pandas as pd
import pytest

from exam_core.formats import Reading
from exam_core.store import Store
from exam_core.store.rankings import ranked_passages, texts_of
from exam_core.tables import JUDGMENTS, PASSAGES, QUERIES, RANKINGS


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    """One run over a facet's query; d1 is judged under the facet and its page, d2 under the page, d3 nowhere."""
    rankings = [("run", "page/facet", doc, rank, rank, 1.0, False) for rank, doc in enumerate(("d1", "d2", "d3"), 1)]
    judgments = [("official", "page/facet", "d1", 3), ("official", "page", "d1", 1), ("official", "page", "d2", 2)]
    frames = {
        "rankings": _frame(RANKINGS, rankings),
        "judgments": _frame(JUDGMENTS, judgments),
        "passages": _frame(PASSAGES, [("d1", "<b>one</b>"), ("d2", "مرحبا " * 9)]),
        "queries": _frame(QUERIES, [("page", "what is it?"), ("other", None)]),
    }
    store = Store(tmp_path_factory.mktemp("store"))
    store.commit("small", Reading(frames), source="small")
    return store.snapshot("small")


def _frame(table, rows):
    names = table.names[: len(rows[0])]
    return table.frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def test_passages_come_in_the_order_of_the_ranking(snapshot):
    assert ranked_passages(snapshot, "run", "page/facet")["doc_id"].tolist() == ["d1", "d2", "d3"]


def test_a_facets_own_judgment_comes_before_its_pages(snapshot):
    found = ranked_passages(snapshot, "run", "page/facet", qrels_id="official")["relevance"].tolist()
    assert found[:2] == [3.0, 2.0]
    assert math.isnan(found[2])


def test_without_judgments_every_relevance_is_undefined(snapshot):
    assert ranked_passages(snapshot, "run", "page/facet")["relevance"].isna().all()


def test_the_depth_cuts_the_ranking(snapshot):
    assert len(ranked_passages(snapshot, "run", "page/facet", depth=2)) == 2


def test_texts_are_cut_and_left_as_they_are(snapshot):
    texts = ranked_passages(snapshot, "run", "page/facet", characters=10)["text"]
    assert (texts[0], texts[1], pd.isna(texts[2])) == ("<b>one</b>", "مرحبا مرحب"[:10], True)


def test_a_run_that_returned_nothing_has_no_passages(snapshot):
    assert ranked_passages(snapshot, "run", "other").empty


def test_a_facet_has_the_text_of_its_page(snapshot):
    assert texts_of(snapshot, ["page/facet", "page", "other", "unknown"]) == ["what is it?", "what is it?", None, None]
