"""The page of outliers on the demo and on published figures: its numbers are those of the analysis."""

from dataclasses import replace

import pytest
from dashboards import opened, sentences, table, unfolded

from exam_core.analysis.choosing import choose
from exam_core.analysis.displacements import flagged_first, runs_to_explain, with_names
from exam_core.analysis.figures import figures_of
from exam_core.analysis.outliers import outliers
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wording import method_in_words

PAGE = "pages/outliers/outliers.py"


@pytest.fixture
def shown(demo_store, monkeypatch):
    return opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", tau="3")


def shown_name(method):
    """A method as the page calls it."""
    return method_in_words(method).replace("open", "Lexical match")


@pytest.fixture(scope="module")
def expected(demo_store):
    snapshot = Store(demo_store).snapshot("demo")
    choices = [choose(snapshot, Request(measure=measure, bank="open", tau=3)) for measure in ("Cover@20", "P@20")]
    return snapshot, choices, outliers(snapshot, [replace(one, reference="official") for one in choices])


def test_displacements_and_the_method_that_explains_a_run_are_those_of_the_analysis(shown, expected):
    found = expected[2]
    unfolded(shown, "outliers_figures")
    named = {shown: shown_name(shown) for shown in map(method_in_words, found.methods["method"])}
    columns, keys = ["run_id", "method", "rank_displacement", "low", "high", "p_holm"], ["run_id", "method"]
    mine, theirs = table(shown, "score_displacement")[columns], with_names(found, named).rows[columns]
    assert mine.sort_values(keys, ignore_index=True).equals(theirs.sort_values(keys, ignore_index=True))
    for run in runs_to_explain(found)[:2]:
        shown.selectbox(key="outliers_run").set_value(run).run()
        first = flagged_first(found.rows[found.rows["run_id"] == run])["method"].iloc[0]
        assert shown.selectbox(key="outliers_method").value == first


def test_the_address_says_which_run_is_explained_and_a_method_can_be_left_out(demo_store, monkeypatch):
    test = opened(PAGE, demo_store, monkeypatch, collection="demo", bank="open", outliers_run="bm25")
    assert test.selectbox(key="outliers_run").value == "bm25"
    test.multiselect(key="outliers_also").set_value([]).run()
    unfolded(test, "outliers_figures")
    assert table(test, "score_displacement")["method"].unique().tolist() == ["Lexical match Cover@20 (tau 4)"]


def test_a_click_explains_the_run_by_the_method_that_was_clicked(shown):
    method = "open P@20 tau=3"
    shown.selectbox(key="outliers_run").set_value("lsa-40").run()
    shown.session_state["outliers_chart point that was clicked"] = ["", "", "", "", "bm25", shown_name(method)]
    shown.run()
    assert (shown.selectbox(key="outliers_run").value, shown.selectbox(key="outliers_method").value) == ("bm25", method)
    assert f" by {shown_name(method)}, 9th officially" in sentences(shown)


def test_the_published_outlier_is_told_first_and_printed_displacements_are_those_of_the_analysis(
    demo_store, monkeypatch
):
    test = opened(PAGE, demo_store, monkeypatch, collection="car-y3-published")
    assert test.selectbox(key="outliers_run").value == "ICT-DRMMTKS"
    assert "ICT-DRMMTKS ranks higher than officially: 13th" in sentences(test)
    assert "no test is possible" in sentences(test)
    mine = table(unfolded(test, "outliers_figures"), "score_displacement")
    figures = figures_of(Store(demo_store).snapshot("car-y3-published"))
    found = figures.displaced(figures.series(), Request(), ())[0]
    assert found.methods["method"].tolist() == figures.series(), "those that are chosen, and no other"
    assert mine["rank_displacement"].tolist() == found.rows["rank_displacement"].tolist()
    assert mine[["low", "high", "p", "p_holm"]].isna().all(axis=None)
