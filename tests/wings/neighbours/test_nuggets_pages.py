"""The pages Nuggets and Generated answers, and measures without grades on other pages."""

import json

import pytest
from dashboards import at_tab, charts, opened, sentences, table

from exam_core.aliases import in_words
from exam_core.analysis.choosing import choose_labelling
from exam_core.analysis.contents import names_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.table_text import to_read
from exam_core.wings.neighbours.importing import import_answers
from exam_core.wings.neighbours.nrp import FROM_FILE, UNKNOWN, expert_agreement, nrp, sizes
from exam_core.wings.neighbours.nuggets import BY_IMPORTANCE, importance_effect, nuggets

PAGE = "pages/neighbours/nuggets.py"
ASKED = {"collection": "demo-nuggets", "mode": "nuggetizer", "modes": "nuggetizer"}


@pytest.fixture(scope="module")
def page(demo_store):
    with pytest.MonkeyPatch.context() as patch:
        yield opened(PAGE, demo_store, patch, **ASKED, nuggets_run="gen-chatty", nuggets_query="demo-03")


def test_scores_and_labels_are_those_of_the_analysis(demo_store, page):
    snapshot = Store(demo_store).snapshot("demo-nuggets")
    found = nuggets(snapshot, choose_labelling(snapshot, Request(grader="nuggetizer")))
    scores = table(page, "all_score")
    at_tab(page, "nuggets_tab", "Labels of each run")
    labels, dirty = table(page, "support"), table(page, "n")
    assert scores.equals(found.rows[list(scores)])
    assert labels.equals(found.rows[list(labels)])
    assert dirty.equals(found.dirty)
    assert [note for note in found.notes if in_words(note, names_of(snapshot)) not in sentences(page)] == []


def test_an_answer_is_shown_with_what_was_said_of_each_nugget(page):
    at_tab(page, "nuggets_tab", "Nuggets in one answer")
    counts = {"not_support": 4, "partial_support": 2, "contradiction": 1, "support": 1}
    assert table(page, "importance")["label"].value_counts().to_dict() == counts
    assert "how do plants turn light into sugar" in sentences(page)
    # The first of the vital nuggets, best grades first, by text.
    assert "Marked for: Chlorophyll in the thylakoids absorbs light" in sentences(page)
    marked = [one.proto.body for one in page.main if one.type == "html" and "<mark" in one.proto.body]
    assert any(">chlorophyll</mark>" in text and ">light</mark>" in text for text in marked)


def test_a_run_without_an_answer_says_so(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, **ASKED, nuggets_run="gen-brief", nuggets_query="demo-08")
    assert "The run has no answer to this query." in sentences(test)


def test_what_the_order_owes_to_importance_is_that_of_the_analysis(demo_store, page):
    snapshot = Store(demo_store).snapshot("demo-nuggets")
    found = importance_effect(snapshot, choose_labelling(snapshot, Request(grader="nuggetizer")))
    at_tab(page, "nuggets_tab", "If other nuggets were vital")
    assert len(charts(page)) == 2
    assert table(page, "deviation").equals(found.variants)
    assert table(page, "first").to_dict("list") == to_read(found.rows, BY_IMPORTANCE)[0].to_dict("list")


def test_the_page_says_what_to_import_where_there_are_no_nuggets(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open")
    assert "Lexical match does not grade from 0 to 2" in sentences(test)
    assert [one.value.split()[1:3] for one in test.code] == [["import", "assignments"], ["import", "bank"]]


POURPRE = {"collection": "demo-nuggets", "measure": "POURPRE"}


def test_the_boards_of_compare_are_by_the_measure_and_by_a_grading_mode(demo_store, monkeypatch):
    query = POURPRE | {"compare_b_measure": "NuggetVital", "compare_b_mode": "nuggetizer"}
    query["compare_tab"] = "All runs"
    test = opened("pages/compare/compare.py", demo_store, monkeypatch, **query)
    assert "A, nuggets POURPRE@20, and B, Nuggetizer NuggetVital@20, tau 1, correlate" in sentences(test)
    assert len(table(test, "rank_a")) == 4


def test_stability_draws_queries_and_says_that_there_are_no_questions_to_draw(demo_store, monkeypatch):
    test = opened(
        "pages/reliability/reliability.py", demo_store, monkeypatch, **POURPRE, stability_view="Rank of each run"
    )
    assert table(test, "rank_mean")["run_id"].tolist() == ["gen-careful", "gen-chatty", "gen-confused", "gen-brief"]


def test_the_bar_offers_options_and_keeps_them_in_the_measure(demo_store, monkeypatch):
    query = POURPRE | {"option_beta": "5", "option_terms": "idf"}
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, **query)
    assert "POURPRE(terms=idf,beta=5)@20" in sentences(test)


def test_measures_of_nuggets_are_not_offered_for_exam_questions(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo")
    (measures,) = [box.options for box in test.selectbox if box.label == "Measure"]
    assert not {"POURPRE", "ROUGE1", "NuggetVital", "NRP"} & set(measures)


def test_the_mode_that_is_looked_at_first_is_not_its_own_reference(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo-nuggets")
    assert test.pills(key="modes").value[0] == "nuggetizer"
    assert test.selectbox(key="reference").value == "grades:Cover@20:bank=nuggets:grader=lexical.pourpre-idf:tau=4"
    assert "Against Cover@20 of Lexical match, bank nuggets (tau 4): Spearman 0.632" in sentences(test)


def test_where_no_correlation_is_defined_the_board_begins_with_its_best_run(demo_store, monkeypatch):
    test = opened("pages/leaderboard/leaderboard.py", demo_store, monkeypatch, collection="demo-answers")
    assert "Best: albatross-large explain, NRP 0.806" in sentences(test)
    assert "undefined, Kendall" not in sentences(test)
    assert "There are no human judgments" not in sentences(test)


ANSWERS_PAGE = "pages/neighbours/generated.py"
EXPERTS = "Does an expert agree?"
OF_ANSWERS = {"collection": "demo-answers"}


@pytest.fixture(scope="module")
def snapshot(demo_store):
    return Store(demo_store).snapshot("demo-answers")


def test_the_board_and_the_charts_are_those_of_the_analysis(demo_store, snapshot, monkeypatch):
    test = opened(ANSWERS_PAGE, demo_store, monkeypatch, **OF_ANSWERS)
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
    test = opened(ANSWERS_PAGE, demo_store, monkeypatch, **OF_ANSWERS, option_convention="one-based")
    assert table(test, "run_id").equals(nrp(snapshot, convention="one-based").rows)


def test_answers_without_ranks_are_told_how_to_get_some(tmp_path, monkeypatch):
    line = {"system": "m", "prompt": "p", "query_id": "q1", "sample": 1, "answer": "x"}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    import_answers(Store(tmp_path / "store"), "mine", tmp_path / "a.jsonl")
    test = opened(ANSWERS_PAGE, tmp_path / "store", monkeypatch, collection="mine")
    assert test.code[0].value == "examboard nrp-rank mine --by bm25"


def test_a_size_is_the_files_or_the_papers_or_unknown(snapshot):
    found = sizes(snapshot, ("wren-small", "gpt2-xl", "other"))
    assert found["parameters"].fillna(0).tolist() == [120e6, 1.5e9, 0]
    assert [found["source"][0], found["source"][2]] == [FROM_FILE, UNKNOWN]
