"""What explains a run on the page of outliers: its numbers are those of the analysis."""

from dataclasses import replace

from dashboards import opened, sentences, table, unfolded

from exam_core.analysis.displacements import runs_to_explain
from exam_core.wings.explanations.explanation import explain
from exam_core.wings.explanations.query_rankings import two_rankings
from tests.pages.test_outliers import expected as expected
from tests.pages.test_outliers import shown as shown


def of_tab(test, tab):
    test.session_state["outliers_tabs"] = tab
    return unfolded(test, "outliers_figures")


def test_the_queries_and_questions_that_explain_a_run_are_those_of_the_analysis(shown, expected):
    snapshot, choices, found = expected
    unfolded(shown, "outliers_figures")
    run = runs_to_explain(found)[0]
    method = found.rows.loc[found.rows["run_id"] == run, "method"].iloc[0]
    why = explain(snapshot, replace(choices["P@20" in method], reference="official"), run)
    of_tab(shown, "Neighbours and queries")
    assert table(shown, "contribution")["contribution"].tolist() == why.queries["contribution"].tolist()
    assert table(shown, "answered")["question_id"].tolist() == why.questions["question_id"].tolist()


def test_a_question_is_switched_off_live(shown, expected):
    snapshot, choices, found = expected
    run = runs_to_explain(found)[0]
    two = two_rankings(
        snapshot,
        choices["P@20" in found.rows.loc[found.rows["run_id"] == run, "method"].iloc[0]],
        (run, shown.selectbox(key="why_beside").value),
        shown.selectbox(key="why_query").value,
    )
    question = two.questions["question_id"][0]
    assert shown.selectbox(key="why_question").value == question
    before = [one.label for one in shown.metric]
    shown.multiselect(key="why_off").set_value([question]).run()
    assert (before, [one.label for one in shown.metric][-1]) == ([], "Labels that flip")


def test_another_run_begins_with_the_query_that_moves_it(shown):
    before = shown.selectbox(key="why_beside").value
    shown.selectbox(key="why_query").set_value(shown.selectbox(key="why_query").options[-1]).run()
    shown.selectbox(key="outliers_run").set_value(before).run()
    query = shown.selectbox(key="why_query")
    assert query.value == query.options[0]


def test_two_rankings_of_the_same_passages_are_a_sentence_and_not_two_lists(demo_store, monkeypatch):
    address = {"outliers_run": "bm25", "why_beside": "bm25-rocchio", "why_query": "demo-02"}
    test = opened("pages/outliers/outliers.py", demo_store, monkeypatch, collection="demo", bank="open", **address)
    assert "bm25 and bm25-rocchio rank the same 20 passages for query demo-02" in sentences(test)
    assert not [one for one in test.selectbox if one.key == "why_question"]
