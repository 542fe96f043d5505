"""The page Generated answers: what it shows is what the analyses say, and without ranks it says what to do."""

import json
import shutil

import pytest
from dashboards import at_tab, charts, opened, sentences, table

from exam_core.store import Store
from exam_core.wings.neighbours.importing import import_answers
from exam_core.wings.neighbours.nrp import FROM_FILE, UNKNOWN, expert_agreement, nrp, sizes

PAGE = "pages/neighbours/generated.py"
EXPERTS = "Does an expert agree?"
ASKED = {"collection": "demo-answers"}


@pytest.fixture(scope="module")
def snapshot(demo_store):
    return Store(demo_store).snapshot("demo-answers")


def test_the_board_and_the_charts_are_those_of_the_analysis(demo_store, snapshot, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED)
    assert table(test, "run_id").equals(nrp(snapshot).rows)
    assert table(test, "n_prompts").equals(nrp(snapshot).systems)
    strips, by_size = charts(at_tab(test, "generated_tab", "NRP and model size"))
    _, *flows = charts(at_tab(test, "generated_tab", EXPERTS))
    assert [len(test.error), len(flows)] == [0, 2]
    assert "Highest mean: albatross-large with explain" in strips.alt
    assert "wren-small (1.2e+08)" in by_size.alt
    assert [flow.figure["data"][0]["type"] for flow in flows] == ["sankey", "sankey"]
    found = expert_agreement(snapshot)
    assert f"3 tasks: mean RBO {found.rbo:.3f}, mean Kendall&#x27;s tau {found.kendall:.3f}" in sentences(test)


def test_another_convention_has_other_values(demo_store, snapshot, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, option_convention="one-based")
    assert table(test, "run_id").equals(nrp(snapshot, convention="one-based").rows)


def test_answers_without_ranks_are_told_how_to_get_some(demo_store, tmp_path, monkeypatch):
    shutil.copytree(demo_store, tmp_path / "store")
    line = {"system": "m", "prompt": "p", "query_id": "q1", "sample": 1, "answer": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    import_answers(Store(tmp_path / "store"), "mine", tmp_path / "a.jsonl")
    test = opened(PAGE, tmp_path / "store", monkeypatch, collection="mine")
    assert test.code[0].value == "examboard nrp-rank mine --by bm25"


def test_a_size_is_the_files_or_the_papers_or_unknown(snapshot):
    found = sizes(snapshot, ("wren-small", "gpt2-xl", "other"))
    assert found["parameters"].fillna(0).tolist() == [120e6, 1.5e9, 0]
    assert [found["source"][0], found["source"][2]] == [FROM_FILE, UNKNOWN]
