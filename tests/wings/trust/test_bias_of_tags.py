"""Tagged runs on Outliers: the numbers are those of the analysis."""

import pytest
from dashboards import charts, opened, sentences, table, unfolded

from exam_core.actions.tagging import tag_run
from exam_core.analysis.choosing import choose
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.trust.circularity import circularity
from exam_core.wings.trust.slides import circularity_sentences

PAGE = "pages/outliers/outliers.py"
ASKED = {"collection": "demo", "bank": "open", "tau": "3", "reference": "qrels:nDCG@10"}


@pytest.fixture
def own(own_store):
    return Store(own_store)


def test_displacements_are_those_of_the_analysis(own, monkeypatch):
    for run in ("bm25", "lsa-40"):
        tag_run(own, "demo", run, ["uses <b>an</b> LLM"])
    test = unfolded(opened(PAGE, own.path, monkeypatch, **ASKED), "circularity_box")
    snapshot = own.snapshot("demo")
    asked = Request(bank="open", tau=3, reference="qrels:nDCG@10")
    found = circularity(snapshot, [choose(snapshot, asked.but(measure=one)) for one in ("Cover@20", "P@20")])
    assert table(test, "score_low")["score_low"].tolist() == pytest.approx(
        found.rows["score_low"].tolist(), nan_ok=True
    )
    assert circularity_sentences(found)[0].partition(" (")[2] in sentences(test)
    assert any("Displacement of scores of tagged runs" in chart.alt for chart in charts(test))


def test_without_tags_the_page_says_how_to_give_one(demo_store, monkeypatch):
    test = unfolded(opened(PAGE, demo_store, monkeypatch, **ASKED), "circularity_box")
    assert "No run here has a tag" in sentences(test)
    assert "examboard tags demo --file tags.csv" in [code.value for code in test.code]
