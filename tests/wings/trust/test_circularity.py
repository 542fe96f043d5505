"""Tagged runs on the command line, in notebooks, in the chart and on Outliers: the numbers of the analysis."""

import json

import numpy as np
import pandas as pd
import pytest
from dashboards import charts, opened, sentences, table, unfolded
from thoroughly import thoroughly

from exam_core.actions.tagging import tag_run
from exam_core.analysis.choosing import choose
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wings.trust.circularity import circularity, circularity_alternative, circularity_figure
from exam_core.wings.trust.slides import circularity_sentences
from tests.notebook.test_answers import BANK, as_typed, typed


@pytest.mark.parametrize("form", ["json", *thoroughly("table", "csv", "latex", "siunitx")])
def test_displacements_are_printed_in_every_format(examboard, tagged, form):
    asked = "circularity demo --bank open --measures P@20,Cover@20 --reference qrels:P@20 --draws 20".split()
    done = examboard(tagged, *asked, "--format", form)
    assert (done.status, done.err) == (0, "")
    assert "saw the bank" in done.out
    if form == "json":
        found = json.loads(done.out)
        assert (found["reference"], found["measures"]) == ("qrels:P@20", ["P@20", "Cover@20"])
        assert found["tags"] == {"llm": ["bm25", "lsa-40"], "saw the bank": ["bm25"]}
        assert [row["method"] for row in found["rows"][:3]][-1] == "all"


def test_displacements_of_tagged_runs_are_those_of_the_command_line(own_collection, monkeypatch):
    for run, known in (("bm25", ["llm", "saw the bank"]), ("lsa-40", ["llm"])):
        tag_run(own_collection._store, "demo", run, known)
    words = BANK | {"tau": 3, "measures": ["P@20", "Cover@20"], "reference": "qrels:P@20", "draws": 50}
    for options in (words, words | {"tag": ["llm"]}):
        answer = own_collection.circularity(**options)
        assert answer.json() == typed(
            monkeypatch, own_collection._store.path, "circularity", "demo", *as_typed(options)
        )
        assert answer.rows.attrs["units"]["rank_low"] == "ranks"
        assert answer.notes[0].startswith("llm (2 of 15 runs): promoted by ")
        assert "llm by open P@20 (tau 3)" in answer.figure().layout.meta["description"]
    assert own_collection.tags().json() == typed(monkeypatch, own_collection._store.path, "tags", "demo")
    assert own_collection.tags().rows["tag"].tolist() == ["llm", "saw the bank", "llm"]
    runs = own_collection.tags().tables["runs"].set_index("run_id")["tags"]
    assert (runs["bm25"], runs["random"], len(runs)) == (["llm", "saw the bank"], [], 15)


ROWS = pd.DataFrame(
    [("a", "Cover", 0.02, 0.01, 0.04), ("a", "all", np.nan, np.nan, np.nan), ("<i>b</i>", "Cover", -0.1, -0.2, 0.0)],
    columns=["tag", "method", "score_displacement", "score_low", "score_high"],
)


def test_each_tag_has_its_displacement_and_interval():
    figure = circularity_figure(ROWS, "official")
    first, second = figure.data
    assert (list(first.x), first.name, second.name) == ([0.02], "a", "&lt;i&gt;b&lt;/i&gt;")
    np.testing.assert_allclose([first.error_x.array[0], first.error_x.arrayminus[0]], [0.02, 0.01])
    assert figure.layout.yaxis.ticktext == ("Cover",), "what has no score is left out"
    assert circularity_alternative(ROWS, "official").endswith("a by Cover +0.020; <i>b</i> by Cover -0.100.")
    assert circularity_alternative(ROWS.iloc[[1]], "official").endswith("undefined.")


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
    assert "examboard tags demo RUN TAG" in [code.value for code in test.code]
