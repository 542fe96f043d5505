"""The page of outliers on the demo and on published figures: its numbers are those of the analysis."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dashboards import opened, sentences, table

from exam_core.analysis.causes.explanation import explain
from exam_core.analysis.causes.outliers import outliers
from exam_core.analysis.causes.rankings import two_rankings
from exam_core.analysis.evaluation.choosing import choose
from exam_core.analysis.figures import figures_of
from exam_core.asked import Asked
from exam_core.reports.displacements import runs_to_explain
from exam_core.store import Store

PAGE = "pages/outliers.py"


@pytest.fixture
def shown(store, monkeypatch):
    return opened(PAGE, store, monkeypatch, collection="demo", bank="open", tau="3")


@pytest.fixture(scope="module")
def expected(store):
    snapshot = Store(store).snapshot("demo")
    choices = [choose(snapshot, Asked(measure=measure, bank="open", tau=3)) for measure in ("Cover@20", "P@20")]
    return snapshot, choices, outliers(snapshot, [replace(one, reference="official") for one in choices])


def test_displacements_are_those_of_the_analysis(shown, expected):
    columns = ["run_id", "method", "rank_displacement", "low", "high", "p_holm"]
    mine, theirs = table(shown, "score_displacement")[columns], expected[2].rows[columns]
    keys = ["run_id", "method"]
    assert mine.sort_values(keys, ignore_index=True).equals(theirs.sort_values(keys, ignore_index=True))


def test_a_method_can_be_left_out(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open")
    test.multiselect(key="outliers_also").set_value([]).run()
    assert table(test, "score_displacement")["method"].unique().tolist() == ["open Cover@20 tau=4"]


def test_queries_that_explain_a_run_are_those_of_the_analysis(shown, expected):
    snapshot, choices, found = expected
    run = runs_to_explain(found)[0]
    method = found.rows.loc[found.rows["run_id"] == run, "method"].iloc[0]
    why = explain(snapshot, replace(choices["P@20" in method], reference="official"), run)
    assert table(shown, "contribution")["contribution"].tolist() == why.queries["contribution"].tolist()
    assert table(shown, "answered")["question_id"].tolist() == why.questions["question_id"].tolist()


def test_another_run_can_be_explained(shown):
    shown.selectbox(key="outliers_run").set_value("bm25").run()
    assert not shown.exception
    assert "The runs around bm25 in official" in sentences(shown)


def test_the_address_says_which_run_is_explained(store, monkeypatch):
    test = opened(PAGE, store, monkeypatch, collection="demo", bank="open", outliers_run="bm25")
    assert test.selectbox(key="outliers_run").value == "bm25"


def test_the_published_outlier_is_told_and_explained_as_far_as_it_can_be(store, monkeypatch):
    said = sentences(opened(PAGE, store, monkeypatch, collection="car-y3-published"))
    assert "All of them promote: ICT-DRMMTKS (3, 4 and 3 places)." in said
    assert "There are no per-query figures here" in said
    assert "no query, question or passage explains ICT-DRMMTKS here" in said


def test_printed_displacements_are_those_of_the_analysis(store, monkeypatch):
    mine = table(opened(PAGE, store, monkeypatch, collection="car-y3-published"), "score_displacement")
    found = figures_of(Store(store).snapshot("car-y3-published")).outliers(Asked())[0]
    assert mine["rank_displacement"].tolist() == found.rows["rank_displacement"].tolist()
    assert mine[["low", "high", "p", "p_holm"]].isna().all(axis=None)


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
    assert not shown.exception
    assert (before, [one.label for one in shown.metric][-1]) == ([], "Labels that flip")


def test_another_run_begins_with_the_query_that_moves_it(shown):
    before = shown.selectbox(key="why_beside").value
    shown.selectbox(key="why_query").set_value(shown.selectbox(key="why_query").options[-1]).run()
    shown.selectbox(key="outliers_run").set_value(before).run()
    query = shown.selectbox(key="why_query")
    assert query.value == query.options[0]
