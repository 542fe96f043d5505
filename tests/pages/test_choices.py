"""What the control bar chooses is what the numbers of the pages are about, and the pages say so."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest
from analysis.worlds import labels_of_three, ranking, store_of, world
from dashboards import charts, opened, sentences, table, unfolded
from thoroughly import thoroughly

from exam_core.actions.importing_runs import import_run
from exam_core.actions.tagging import tag_runs
from exam_core.analysis.figures import figures_of
from exam_core.request import Request
from exam_core.store import Store
from exam_core.wording import rank_interval
from tests.wings import rows_added

LEADERBOARD, OUTLIERS = "pages/leaderboard/leaderboard.py", "pages/outliers/outliers.py"
METHODS, RUNS = rows_added("METHODS"), {"methods_part": "Run by run"}
"""The page of methods, where the wing is that has it."""


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """A store with a small collection: two graders of questions, and one that labels passages 0 to 2."""
    path = tmp_path_factory.mktemp("graded")
    store_of(path, world(1))
    return path


def drawn_by_run(test):
    """The value of each run, by trace of the first chart; a place between the runs has no name."""
    found = []
    for trace in charts(test)[0].figure["data"][:2]:
        names = [point[-1] for point in trace["customdata"]]
        found.append({run: value for run, value in zip(names, drawn_values(trace["y"]), strict=True) if run})
    return found


def legend(test):
    return [trace["name"] for trace in charts(test)[0].figure["data"]]


def test_a_mode_whose_scale_ends_below_5_has_a_tau_of_its_own(graded, monkeypatch):
    address, used = {"tau": "1", "tau_labels": "2"}, 2
    test = opened(LEADERBOARD, graded, monkeypatch, bank="genq", modes=["labels"], measure="P", **address)
    assert f"labels P@20 (tau {used})." in sentences(test)
    assert f"P@20, tau = {used}<" in sentences(test), "one mode has one tau"
    assert (test.number_input(key="tau_labels").value, test.number_input(key="tau_labels").max) == (used, 2)


def test_a_tau_of_its_own_is_named_moves_that_mode_alone_and_other_pages_keep_it(graded, monkeypatch):
    asked = {"bank": "genq", "modes": ["rater", "labels"], "measure": "P", "tau": "4", "scores": "raw"}
    test = opened(LEADERBOARD, graded, monkeypatch, **asked)
    assert legend(test) == ["rater, tau 4", "labels, tau 1"]
    assert "tau = 4 (labels: 1)" in sentences(test)
    assert re.search(r">rater</td>.*?>4</td>.*?>labels</td>.*?>1</td>", sentences(test), re.S)
    before = drawn_by_run(test)
    test.number_input(key="tau_labels").set_value(2).run()
    after = drawn_by_run(test)
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]
    assert "tau = 4 (labels: 2)" in sentences(test)
    for page in (*METHODS, OUTLIERS, "agreement"):
        test = opened(page, graded, monkeypatch, **asked, tau_labels="2")
        assert test.number_input(key="tau_labels").value == 2


def drawn_values(sent):
    """Numbers of a trace, as Plotly sends them."""
    return np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"]) if isinstance(sent, dict) else sent


def with_figures(test, page):
    """The page with the tables of its figures."""
    return unfolded(test, "outliers_figures") if page == OUTLIERS else test


def renormalised(test, column, run="gamma"):
    rows = table(test, column)
    rows = rows[rows["method"].str.contains("Cover")] if "method" in rows else rows
    return rows.set_index("run_id").loc[run, column]


@pytest.mark.parametrize("page", [LEADERBOARD, *thoroughly(*METHODS)])
def test_modes_without_questions_are_named_in_one_sentence_with_a_button_that_leads_on(page, tmp_path, monkeypatch):
    labels_of_three(tmp_path)
    modes = ["rater", "labels", "Sun", "Thomas"]
    test = opened(page, tmp_path, monkeypatch, bank="genq", modes=modes, measure="Cover", tau="2")
    assert sentences(test).count("no questions, which this measure needs") == 1
    assert "labels, Sun and Thomas label whole passages" in sentences(test)
    switch = test.button("switch_measure")
    assert switch.label == "Switch to P@20"
    switch.click().run()
    assert test.selectbox(key="measure").value == "P"
    assert max(len(chart.figure["data"]) for chart in charts(test)) >= 4
    assert "which this measure needs" not in sentences(test)


@pytest.mark.parametrize("page", ["compare", *thoroughly("reliability")])
def test_where_a_page_is_of_a_mode_without_questions_alone_the_button_stands_there_too(page, tmp_path, monkeypatch):
    labels_of_three(tmp_path)
    test = opened(page, tmp_path, monkeypatch, bank="genq", modes=["Sun"], measure="Cover", tau="2")
    test.button("switch_measure").click().run()
    assert (test.selectbox(key="measure").value, len(charts(test)) > 0) == ("P", True)


def test_the_page_says_over_which_runs_scores_are_re_normalised(graded, monkeypatch):
    asked = {"bank": "genq", "modes": ["rater"], "tau": "2"}
    test = opened(LEADERBOARD, graded, monkeypatch, **asked)
    assert "Re-normalised over the 5 runs of this leaderboard: 0 is " in sentences(test)
    assert "over 5 runs" in charts(test)[0].figure["layout"]["yaxis"]["title"]["text"]
    for page in METHODS:
        beside = sentences(opened(page, graded, monkeypatch, **asked, **RUNS))
        assert "re-normalised over all 5 runs of the leaderboard" in beside
        assert "Compared are the 4 that the official ranking ranks, too." in beside


def test_a_run_that_is_left_out_in_the_bar_is_on_no_page_and_the_others_span_the_axis(graded, monkeypatch):
    asked = {"bank": "genq", "modes": ["rater"], "tau": "2"}
    test = opened(LEADERBOARD, graded, monkeypatch, **asked)
    test.multiselect(key="without").set_value(["alpha", "1"]).run()
    rows = table(test, "normalised")
    assert sorted(rows["run_id"]) == ["beta", "gamma", "one query only"]
    assert (rows["normalised"].min(), rows["normalised"].max()) == (0, 1)
    assert "tau = 2, without 1, alpha" in sentences(test)
    for page in METHODS:
        beside = opened(page, graded, monkeypatch, **asked, without=["alpha", "1"], **RUNS)
        assert len(table(beside, "residual")) == 3


def test_queries_own_documents_are_left_out_of_rankings_where_the_bar_says_so(tmp_path, monkeypatch):
    rows = [*ranking("a", "q1", ["q1", "d1"]), *ranking("b", "q1", ["d1", "d2"])]
    store_of(tmp_path, {"rankings": rows, "judgments": [("official", "q1", "d1", 2)]})
    means = []
    for word, is_named in (("yes", False), ("no", True)):
        test = opened(LEADERBOARD, tmp_path, monkeypatch, measure="RR", own_document=word)
        means.append(table(test, "mean").set_index("run_id")["mean"].to_dict())
        assert ("without the queries" in sentences(test)) == is_named
    assert means == [{"a": 0.5, "b": 1}, {"a": 1, "b": 1}]


def test_hidden_runs_are_in_no_chart_and_no_table_and_the_others_keep_their_figures(graded, monkeypatch):
    asked = {"bank": "genq", "modes": ["rater"], "tau": "2", **RUNS}
    pages = {LEADERBOARD: "normalised", OUTLIERS: "normalised"} | dict.fromkeys(METHODS, "residual")
    for page, column in pages.items():
        whole, test = (
            with_figures(opened(page, graded, monkeypatch, **asked, **more), page) for more in ({}, {"runs": "a -gam*"})
        )
        assert "3 of 5 runs are hidden by the filter" in sentences(test)
        kept = table(whole, column).set_index("run_id").loc[["alpha", "beta"]]
        pd.testing.assert_frame_equal(table(test, column).set_index("run_id").loc[["alpha", "beta"]], kept)
        assert set(table(test, column)["run_id"]) == {"alpha", "beta"}
        assert "gamma" not in json.dumps(charts(test)[0].figure)
    board = opened(LEADERBOARD, graded, monkeypatch, **asked, runs="alpha")
    assert "over 5 runs" in charts(board)[0].figure["layout"]["yaxis"]["title"]["text"]
    assert [one.figure["data"][0]["x"] for one in charts(board)[:1]] == [["alpha"]]


def test_ranks_with_intervals_are_those_of_the_table(demo_store, monkeypatch):
    asked = {"collection": "demo", "tau": "2"}
    off = opened(LEADERBOARD, demo_store, monkeypatch, **asked)
    test = off.segmented_control(key="view_3").set_value("ranks").run()
    layout, rows = charts(test)[0].figure["layout"], table(test, "displacement").set_index("run_id")
    (trace,) = charts(test)[0].figure["data"]
    rows = rows.loc[[point[-1] for point in trace["customdata"]]]
    np.testing.assert_allclose(drawn_values(trace["y"]), rows["rank"])
    low, high = (drawn_values(trace["error_y"][end]) for end in ("arrayminus", "array"))
    ends = zip(rows["rank"] - low, rows["rank"] + high, strict=True)
    assert [rank_interval(*pair) for pair in ends] == rows["rank_low"].tolist()
    assert layout["yaxis"]["range"][0] > layout["yaxis"]["range"][1]
    for link in ({"scores": "ranks"}, {"rank_intervals": "true"}):
        assert charts(opened(LEADERBOARD, demo_store, monkeypatch, **asked, **link))[0].figure == charts(test)[0].figure


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"runs": "nobody"}, "The filter hides no run"),
        ({"without": ["1", "alpha", "beta", "gamma", "one query only"]}, "All runs are left out"),
    ],
    ids=["hidden", "left out"],
)
def test_what_would_hide_or_leave_out_every_run_does_so_for_none(graded, monkeypatch, more, said):
    test = opened(LEADERBOARD, graded, monkeypatch, bank="genq", modes=["rater"], tau="2", **more)
    assert (len(table(test, "normalised")), said in sentences(test)) == (5, True)


def test_a_printed_board_can_be_without_a_run(demo_store, monkeypatch):
    test = opened(LEADERBOARD, demo_store, monkeypatch, collection="dl19-published", without=["UNH_exDL_bm25"])
    assert "UNH_exDL_bm25" not in table(test, "normalised")["run_id"].tolist()


def test_an_imported_run_says_that_scores_are_over_one_run_more(tmp_path):
    snapshot = store_of(tmp_path, world(1))
    run = tmp_path / "more.run"
    run.write_text("q0 Q0 d1 1 1.0 more\n")
    done = import_run(Store(tmp_path), snapshot.collection, run)
    assert any("has 6 runs (before: 5). Re-normalised scores are over all 6" in note for note in done.notes)


def without_official(tmp_path, *, judged=True):
    """A small collection of one's own: no official list."""
    frames = world(1)
    del frames["leaderboards"]
    if not judged:
        del frames["judgments"]
    return store_of(tmp_path, frames)


@pytest.mark.parametrize(
    ("judged", "first"), [(True, "qrels:nDCG@10"), (False, "grades:Cover@20:bank=manual:grader=second:tau=4")]
)
@pytest.mark.parametrize("page", [LEADERBOARD, *thoroughly(*METHODS, OUTLIERS)])
def test_without_an_official_list_runs_are_compared_with_what_can_be_computed(
    page, judged, first, tmp_path, monkeypatch
):
    snapshot = without_official(tmp_path, judged=judged)
    [found] = figures_of(snapshot).correlations(Request("P@20", bank="genq", grader="rater", tau=2))
    assert found.reference == first
    assert f"world has no leaderboard official: compared with {first}, as no other was named." in found.notes
    test = opened(page, tmp_path, monkeypatch, bank="genq", modes=["rater"], tau="2")
    box = test.selectbox(key="reference")
    assert box.value == first
    assert "no leaderboard to compare with" not in sentences(test)


def test_judgments_and_other_grades_are_choices_beside_the_official_list(graded, monkeypatch):
    test = opened(LEADERBOARD, graded, monkeypatch, bank="genq", modes=["rater"], reference="grades:P@20:grader=labels")
    box = test.selectbox(key="reference")
    assert box.options[:2] == ["official", "qrels:nDCG@10"]
    assert box.value == "grades:P@20:grader=labels:tau=1", "links of earlier versions left the usual tau unsaid"
    assert "Against P@20 of labels (tau 1): Spearman" in sentences(test)


def test_groups_are_systems_on_the_leaderboard_where_the_bar_says_so_and_runs_elsewhere(tmp_path, monkeypatch):
    store_of(tmp_path, world(1))
    asked = {"bank": "genq", "modes": ["rater"], "tau": "2", "groups": "yes"}
    test = opened(LEADERBOARD, tmp_path, monkeypatch, **asked)
    assert "alpha" in table(test, "normalised")["run_id"].tolist(), "no run has a group"
    tag_runs(Store(tmp_path), "world", {"alpha": ["group:ab"], "beta": ["group:ab"]})
    test = opened(LEADERBOARD, tmp_path, monkeypatch, **asked, leaderboard_run="ab")
    rows = table(test, "normalised").set_index("run_id")
    assert (set(rows.index), rows.loc["ab", "n_runs"]) == ({"ab", "gamma", "1", "one query only"}, 2)
    assert "Groups of runs" in sentences(test)
    assert "over the 4 systems of this leaderboard" in sentences(test)
    query = table(test, "difference")["query_id"][0]
    test = opened(LEADERBOARD, tmp_path, monkeypatch, **asked, leaderboard_run="ab", leaderboard_query=query)
    assert "ab is a group of runs" in sentences(test)
    for page in METHODS:
        assert "alpha" in table(opened(page, tmp_path, monkeypatch, **asked, **RUNS), "residual")["run_id"].tolist()
